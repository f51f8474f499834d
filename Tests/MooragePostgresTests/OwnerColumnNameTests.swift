import MoorageCore
import MoorageHub
import MooragePostgres
import TestSupport
import Testing

@Suite(.ownThreads, .enabled(if: PostgresServer.isAvailable)) struct `Columns named like anything` {
    @Test func `do not make the owner's statements fail, and are tracked`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            let names = ["k0", "n", "o", "x", "g", "t", "scope", "live", "new_rows", "old_rows"]
            let columns = names.map { "\($0) bigint" }.joined(separator: ", ")
            try owner.execute("CREATE TABLE odd (id bigint PRIMARY KEY, \(columns))")
            let database = subject.database
            try database.perform {
                _ = try Attachment(on: $0, makeID: Hub.randomID).attach(tables: nil)
            }
            try owner.execute("INSERT INTO odd (id, n, o) VALUES (1, 1, 1), (2, 2, 2)")
            try owner.execute("UPDATE odd SET n = n + 1, new_rows = 3")
            try owner.execute("UPDATE odd SET id = 3 WHERE id = 2")
            try owner.execute(
                "INSERT INTO odd (id, o) VALUES (1, 5) ON CONFLICT (id) DO UPDATE SET o = excluded.o"
            )
            try owner.execute("DELETE FROM odd WHERE id = 1")
            let tracked = try database.perform {
                try $0.run("SELECT k0, live::int FROM moorage_track_1_odd ORDER BY k0", [])
            }
            #expect(tracked.map(\.last) == [.integer(0), .integer(0), .integer(1)])
        }
    }
}
