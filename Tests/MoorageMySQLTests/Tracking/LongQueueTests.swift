import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

/// The queues have more keys than a reader can list, because others write faster than it numbers.
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `A long queue` {
    private static let settings = ScopeSettings(
        rules: ["t": [ScopeRule(.column(kind: "area", "area"))]],
        holdings: ["area": .claim("area")])

    private static func numbers(_ range: ClosedRange<Int>) -> String {
        range.map { "(\($0), 1, 0)" }.joined(separator: ", ")
    }

    /// Rows that a scan passes over come later, with their number. It meets the rest now.
    @Test(arguments: MySQLServer.all, [false, true])
    func `is passed over by a scan, and lets nobody catch up`(server: MySQLServer, isScoped: Bool)
        throws
    {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id INT PRIMARY KEY, area INT, n INT NOT NULL) ENGINE = InnoDB;
                INSERT INTO t VALUES \(Self.numbers(1...100))
                """)
            try subject.attach(scopes: isScoped ? Self.settings : ScopeSettings())
            try owner.plain("DELETE FROM t WHERE id > 90")
            try subject.database.perform { try $0.numberChanges() }
            try owner.plain(
                """
                UPDATE t SET n = 1 WHERE id <= 40; DELETE FROM t WHERE id = 80;
                INSERT INTO t VALUES \(Self.numbers(1_001...(1_001 + UnnumberedRows.mostKeys)))
                """)
            let scope = isScoped ? Scope("area/1") : .everything
            try subject.database.perform { connection in
                let table = try #require(try connection.attachedTables().first)
                func read(_ query: TrackingQuery) throws -> (keys: Set<Int64>, isPartial: Bool) {
                    let content = try connection.content(
                        table, columns: [0], in: scope, query, after: nil, limit: 100_000)
                    let keys = (0..<content.count).compactMap { row -> Int64? in
                        if case .integer(let key) = content.keys[row][0] { key } else { nil }
                    }
                    return (Set(keys), content.isPartial)
                }
                try connection.begin(.snapshot)
                let checkpoint = try connection.currentCheckpoint()
                let scan = try read(.fromNothing(copiedAt: nil, within: checkpoint))
                #expect(scan.keys == Set(41...90).subtracting([80]))
                #expect(!scan.isPartial)
                #expect(try read(.fromNothing(copiedAt: nil, within: nil)).isPartial)
                #expect(
                    try connection.changedScopes(table, among: [scope], beyond: checkpoint) == [
                        scope
                    ])
                connection.rollback()
                try connection.numberChanges()
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                let rest = try read(.beyond(since: checkpoint, within: nil))
                #expect(rest.keys.isSuperset(of: Array(1...40) + [80, 1_001]))
                #expect(rest.keys.isDisjoint(with: 41...79))
                #expect(!rest.isPartial)
            }
        }
    }

    /// Their list would not fit in a packet, and neither would the list of an attach.
    @Test(arguments: MySQLServer.first)
    func `may be one of few keys that are long`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                """
                CREATE TABLE t (id VARCHAR(2700) CHARACTER SET ascii PRIMARY KEY, n INT NOT NULL)
                  ENGINE = InnoDB ROW_FORMAT = DYNAMIC
                """)
            for hundred in 0..<50 {
                let rows = (0..<100).map { "(concat(repeat('x', 2690), \(hundred * 100 + $0)), 0)" }
                try owner.plain("INSERT INTO t VALUES \(rows.joined(separator: ", "))")
            }
            try subject.attach()
            let tracked = "SELECT count(*) FROM moorage_track_1_t WHERE live"
            #expect(try owner.cell(tracked) == "5000")
            try owner.plain("UPDATE t SET n = 1")
            try subject.database.perform { connection in
                let table = try #require(try connection.attachedTables().first)
                try connection.begin(.snapshot)
                defer { connection.rollback() }
                let content = try connection.content(
                    table, columns: [0], in: .everything, .fromNothing(copiedAt: nil, within: nil),
                    after: nil, limit: 10)
                #expect(content.isPartial && content.count == 0)
            }
        }
    }

    @Test func `is numbered by statements that a packet holds`() {
        let alternating = QueueIDs((0..<1_000).map { UInt64.max - 4_000 + $0 * 2 })
        let pairs = QueueIDs((0..<1_000).map { UInt64.max - 4_000 + $0 * 3 / 2 })
        for ids in [alternating, pairs] {
            let size = ids.condition("u.id").utf8.count
            #expect(size <= 1_000 * QueueIDs.bytesEach)
        }
    }

    /// Another program writes between each numbering step and its page. At night writers never
    /// pause (`A crowded queue`).
    @Test(arguments: MySQLServer.first)
    func `keeps no device from what others write`(server: MySQLServer) async throws {
        let rows = (1...(UnnumberedRows.mostKeys + 100)).map { "(\($0), 0)" }
        try await Devices.run(
            server,
            """
            CREATE TABLE p (id INT PRIMARY KEY, n INT NOT NULL) #;
            INSERT INTO p VALUES \(rows.joined(separator: ", "));
            CREATE TABLE news (id INT PRIMARY KEY) #
            """
        ) { devices in
            let crowd = Crowd(devices.owner)
            let a = try await devices.through { FillingConnection($0, crowd) }
                .clone("A", ["news", "p"])
            try devices.owner.plain("INSERT INTO news VALUES (1)")
            crowd.begin(beside: a)
            #expect(await a.beginSync().value == nil)
            // It came while the other program still wrote.
            #expect(crowd.news.count == Crowd.writes)
            #expect(crowd.news.first == 0 && crowd.news.last == 1, "\(crowd.news)")
            #expect(try await devices.differences(a) == [])
        }
    }
}

/// A connection: after each numbering step, another program writes more rows than a reader lists.
private final class FillingConnection: ForwardingConnection {
    private let crowd: Crowd

    init(_ base: any CentralConnection, _ crowd: Crowd) {
        self.crowd = crowd
        super.init(base)
    }

    override func numberChanges() throws {
        try super.numberChanges()
        try crowd.write()
    }
}

/// The other program.
///
/// `@unchecked Sendable`: one sync uses it, and the test reads it after the sync.
private final class Crowd: @unchecked Sendable {
    /// How often it writes.
    static let writes = 4

    private let session: MySQLSession
    /// The device's file, while the other program writes.
    private var file: DatabaseQueue?
    /// How many rows of `news` the device had before each write.
    private(set) var news: [Int] = []

    init(_ session: MySQLSession) { self.session = session }

    func begin(beside device: Device) { file = device.file }

    func write() throws {
        guard let file else { return }
        news.append(
            try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM news") ?? 0 })
        try session.plain("UPDATE p SET n = n + 1")
        if news.count == Self.writes { self.file = nil }
    }
}
