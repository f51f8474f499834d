import GRDB
import Moorage
import MoorageCore
import MoorageSQLite
import TestSupport
import Testing

/// A migration that makes a synced table again, while the hub's rows change.
@Suite(.ownThreads) struct `A table that a migration rebuilds` {
    static let sameRows = [
        Camp.rebuild(),
        // Another order of columns and rows, another column, another constraint.
        """
        CREATE TABLE new(
          height INTEGER, own TEXT DEFAULT 'x', id TEXT PRIMARY KEY NOT NULL,
          name TEXT CHECK (name <> '')) WITHOUT ROWID;
        INSERT INTO new(id, name, height) SELECT * FROM site ORDER BY name DESC;
        DROP TABLE site; ALTER TABLE new RENAME TO site
        """,
        "DROP TRIGGER _moorage_update_site",
    ]

    @Test(arguments: sameRows)
    func `with the same rows lists no row that nobody wrote`(sql: String) async throws {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO site VALUES('s2', 'Barn', 5)")
        let file = try await camp.migratedFile()
        try camp.central.execute("UPDATE site SET name = 'Lodge' WHERE id = 's1'")
        try Replica.migrate(file, with: Camp.migrator(then: ["v2": sql]))
        // The log has it, although no replica was opened yet.
        try await file.run("UPDATE site SET height = 11 WHERE id = 's1'")
        let replica = try await camp.open(file)
        #expect(replica.status.pendingCount == 1)
        #expect(try await replica.sync().isCaughtUp)
        #expect(
            try await file.texts("SELECT id, name, height FROM site ORDER BY id")
                == ["s1|Lodge|11", "s2|Barn|5"])
        #expect(
            try camp.rows("SELECT * FROM site ORDER BY id")
                == [["s1", "Lodge", "11"], ["s2", "Barn", "5"]])
        #expect(try await replica.refusedChanges.fetch().isEmpty)
        #expect(try camp.rows("SELECT count(*) FROM moorage_conflict") == [["0"]])
        #expect(try await replica.verify() == [])
    }

    @Test func `with other rows is compared with the hub`() async throws {
        let camp = try await Camp()
        try camp.central.execute("INSERT INTO site VALUES('s2', 'Barn', 5)")
        let file = try await camp.migratedFile()
        try camp.central.execute("UPDATE site SET name = 'Lodge' WHERE id = 's1'")
        let rebuild = Camp.rebuild("SELECT id, upper(name), height FROM site")
        try Replica.migrate(file, with: Camp.migrator(then: ["v2": rebuild]))
        let replica = try await camp.open(file)
        for _ in 0..<2 { try await replica.sync() }
        #expect(replica.status.isCaughtUp)
        let names = "SELECT name FROM site ORDER BY id"
        #expect(try await file.texts(names) == ["Lodge", "BARN"])
        #expect(try camp.rows(names) == [["Lodge"], ["BARN"]])
        let refused = try await replica.refusedChanges.fetch()
        #expect(refused.map(\.key) == [RowKey([.text("s1")])])
        #expect(refused.allSatisfy { $0.code == .recovered })
    }
}
