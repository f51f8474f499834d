import MoorageHub
import MoorageSQLite
import TestSupport
import Testing

/// What SQLite says of tables for tools that generate code.
@Suite(.ownThreads) struct `Details of tables in SQLite` {
    @Test func `are checks, indexes and types as the owner wrote them`() throws {
        let database = try SQLiteDatabase()
        try database.execute(
            """
            CREATE TABLE item (
              id INTEGER PRIMARY KEY, -- CHECK (id > 7)
              [state] VARCHAR(9) DEFAULT 'CHECK (x)' NOT NULL
                CHECK ([state] IN ('op)en', 'closed') /* CHECK ( */),
              "check" TEXT CHECK("check" <> '('), free,
              CONSTRAINT both CHECK (id > 0 -- always
                AND ("check" IS NOT NULL)));
            CREATE INDEX by_state ON item (state, "check");
            CREATE INDEX by_free ON item (free DESC);
            CREATE INDEX some ON item (state) WHERE id > 1;
            CREATE INDEX lowered ON item (id, lower(state));
            CREATE UNIQUE INDEX one ON item ("check");
            CREATE TABLE other (id INTEGER PRIMARY KEY)
            """)
        let found = try database.perform { try $0.details(of: ["item", "gone", "other"]) }
        #expect(
            found == [
                CentralTableDetails(
                    name: "item",
                    checks: [
                        "[state] IN ('op)en', 'closed')", "\"check\" <> '('",
                        "id > 0 AND (\"check\" IS NOT NULL)",
                    ], indexes: [["free"], ["state", "check"]],
                    columns: [
                        CentralColumnDetails(name: "id", type: "INTEGER"),
                        CentralColumnDetails(name: "state", type: "VARCHAR(9)"),
                        CentralColumnDetails(name: "check", type: "TEXT"),
                        CentralColumnDetails(name: "free", type: ""),
                    ]),
                CentralTableDetails(
                    name: "other", columns: [CentralColumnDetails(name: "id", type: "INTEGER")]),
            ])
    }

    @Test func `follow the owner's migrations`() throws {
        let database = try SQLiteDatabase()
        try database.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
        try database.execute(
            "ALTER TABLE item ADD COLUMN price REAL CHECK (price > 0); CREATE INDEX p ON item (price)"
        )
        let found = try database.perform { try $0.details(of: ["item"]) }
        #expect(found.first?.checks == ["price > 0"])
        #expect(found.first?.indexes == [["price"]])
    }
}
