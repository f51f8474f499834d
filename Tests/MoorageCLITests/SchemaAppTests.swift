#if Server
    import Foundation
    import GRDB
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The command schema app` {
        private func differences(
            _ run: SchemaRun, after sql: String
        ) async throws -> (text: String, failure: CommandFailure?) {
            try await run.execute(sql, in: "app.db")
            return try await run.outcome(
                "schema", "app", run.path("app.db"), "--schema", run.file)
        }

        @Test func `finds columns that are missing or have another type`() async throws {
            try await SchemaRun.withHub { run in
                let app = run.path("app.db")
                let equal = try await differences(run, after: SchemaRun.tables)
                #expect(equal.text == "\(app) can sync the tables of \(run.file).")
                #expect(equal.failure == nil)
                let missing = try await differences(
                    run, after: "ALTER TABLE customer DROP COLUMN city")
                #expect(missing.text == "customer has no column city.")
                #expect(missing.failure?.what.hasPrefix("1 difference ") == true)
                #expect(missing.failure?.place == app && missing.failure?.exit == .failure)
                let retyped = try await differences(
                    run,
                    after: """
                        ALTER TABLE customer ADD COLUMN city TEXT;
                        ALTER TABLE invoice DROP COLUMN paid;
                        ALTER TABLE invoice ADD COLUMN paid TEXT NOT NULL DEFAULT 'no'
                        """)
                #expect(retyped.text.contains("invoice.paid"))
                #expect(retyped.text.contains("Declare it INTEGER."))
                #expect(retyped.failure?.exit == .failure)
            }
        }

        @Test func `does not count tables that the app does not have`() async throws {
            try await SchemaRun.withHub { run in
                let found = try await differences(
                    run,
                    after: """
                        CREATE TABLE customer (id TEXT NOT NULL PRIMARY KEY, name TEXT, city TEXT);
                        CREATE TABLE draft (id INTEGER PRIMARY KEY)
                        """)
                #expect(found.failure == nil)
            }
        }

        @Test func `fails for a file without any of the tables`() async throws {
            try await SchemaRun.withHub { run in
                let found = try await differences(
                    run, after: "CREATE TABLE draft (id INTEGER PRIMARY KEY)")
                #expect(found.failure?.what == "The file has no table that can be synced.")
            }
        }

        @Test func `compares every table that the app has`() async throws {
            try await SchemaRun.withHub { run in
                let found = try await differences(
                    run,
                    after: """
                        CREATE TABLE customer (id TEXT NOT NULL, name TEXT, city TEXT);
                        CREATE VIEW invoice AS SELECT * FROM customer
                        """)
                let lines = found.text.split(separator: "\n")
                #expect(lines.count == 2)
                #expect(lines.contains { $0.contains("customer has no primary key") })
                #expect(lines.contains { $0.contains("invoice is a view") })
                #expect(found.failure?.what.hasPrefix("2 differences") == true)
            }
        }

        @Test func `makes the file from the app's own tables`() async throws {
            try await SchemaRun.withHub { run in
                try await run.execute(
                    """
                    \(SchemaRun.tables)
                    CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
                    CREATE TABLE _moorage_table (name TEXT NOT NULL PRIMARY KEY);
                    CREATE TABLE loose (a)
                    """, in: "app.db")
                let before = try await contents(run)
                let made = run.path("app.schema.json")
                let printed = try await run(
                    "schema", "app", run.path("app.db"), "--output", made)
                #expect(printed == "wrote  \(made)")
                // The same tables at a hub give the same file.
                #expect(try run.text(made) == run.text(run.file))
                #expect(try await contents(run) == before)
            }
        }

        /// Everything in the schema of the app's file.
        private func contents(_ run: SchemaRun) async throws -> [String] {
            try await run.run.database("app.db").read { db in
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_master ORDER BY 1")
            }
        }

        @Test func `says what is wrong with the app's file`() async throws {
            try await SchemaRun.withHub { run in
                let text = try run.run.write(
                    "this is no database, but long enough to be read", to: "x")
                try await run.execute("CREATE TABLE loose (a)", in: "loose.db")
                let (none, loose) = (run.path("none.db"), run.path("loose.db"))
                for options in [["--schema", run.file], ["--output", run.path("made.json")]] {
                    for file in [none, text] {
                        let error = await #expect(throws: (any Error).self) {
                            try await run.run.run(["schema", "app", file] + options)
                        }
                        let failure = try #require(error.map { CommandFailure(explaining: $0) })
                        #expect(failure.exit == .failure)
                        #expect(failure.description.contains(file))
                    }
                }
                let failure = try await run.expectFailure(
                    "schema", "app", loose, "--output", run.path("made.json"), at: loose)
                #expect(failure.what == "The file has no table that can be synced.")
                for name in ["none.db", "made.json"] {
                    #expect(!FileManager.default.fileExists(atPath: run.path(name)))
                }
            }
        }
    }
#endif
