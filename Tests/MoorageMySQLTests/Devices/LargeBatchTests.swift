import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `A large batch` {
    private static let rows = trials(2_100, nightly: 6_000)

    /// More rows than one statement takes; by night also as arrays, which take more.
    @Test(arguments: MySQLServer.first, [false, true].sample(every: 2))
    func `goes up and comes down whole`(server: MySQLServer, bindsArrays: Bool) async throws {
        try await Devices.run(
            server, "CREATE TABLE v (id VARCHAR(120) PRIMARY KEY, note TEXT) #",
            options: .init(bindsArrays: bindsArrays)
        ) { devices in
            let (a, b) = (try await devices.clone("A", ["v"]), try await devices.clone("B", ["v"]))
            try await a.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
                INSERT INTO v SELECT printf('%0110d', i), printf('%0300d', i) FROM n
                """)
            #expect(try await devices.differences(a, b) == [])
            #expect(try devices.owner.cell("SELECT count(*) FROM v") == String(Self.rows))
            try await a.execute("UPDATE v SET note = note || '!'")
            #expect(try await devices.differences(a, b) == [])
            try await a.execute("DELETE FROM v WHERE id > printf('%0110d', 100)")
            #expect(try await devices.differences(a, b) == [])
            #expect(try await b.cell("SELECT count(*) FROM v WHERE note LIKE '%!'") == "100")
        }
    }

    /// What a push asks for before it commits: its own rows are in the queue until then.
    @Test(arguments: MySQLServer.first)
    func `is seen by its own transaction`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain("CREATE TABLE v (id INT PRIMARY KEY) ENGINE = InnoDB")
            try subject.attach()
            try subject.inConnection { connection in
                guard let table = try connection.attachedTables().first else { return }
                let rows = (1...2_500).map { [Value.integer(Int64($0))] }
                let keys = rows.map { table.description.key($0) }
                try connection.begin(.write)
                try connection.insert(table, columns: [0], rows: rows)
                let tracked = try connection.tracked(table, keys: keys, in: [.everything])
                #expect(tracked.count == 2_500 && tracked.values.allSatisfy { $0 })
                connection.rollback()
            }
        }
    }
}
