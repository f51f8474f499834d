#if Server
    import Foundation
    import GRDB
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The command attach with a schema file` {
        @Test func `makes the tables, and attaches them`() async throws {
            try await SchemaRun.withHub { run in
                let other = "sqlite:" + run.path("other.db")
                let made = try await run("attach", other, "--from", run.file)
                #expect(
                    made == """
                        made  customer
                        made  invoice
                        attached  customer
                        attached  invoice
                        """)
                let found = try await run.outcome("schema", other, "--check", run.file)
                #expect(found.failure == nil, "\(found.text)")
                let again = try await run("attach", other, "--from", run.file)
                #expect(again == "attached  customer\nattached  invoice")
                let replica = try await run("clone", other, run.path("a.db"))
                #expect(replica.hasSuffix(": 0 rows"))
            }
        }

        @Test func `leaves tables that exist as they are`() async throws {
            try await SchemaRun.withHub { run in
                try await run.execute(
                    "CREATE TABLE Customer (id TEXT NOT NULL PRIMARY KEY, age INTEGER)",
                    in: "other.db")
                let made = try await run(
                    "attach", "sqlite:" + run.path("other.db"), "--from", run.file)
                #expect(
                    made == """
                        made  invoice
                        attached  Customer
                        attached  invoice
                        """)
                let columns = try await run.run.database("other.db").read { db in
                    try db.columns(in: "customer").map(\.name)
                }
                #expect(columns == ["id", "age"])
            }
        }

        @Test func `prints what it would make, and makes nothing`() async throws {
            try await SchemaRun.withHub { run in
                try await run.execute(
                    "CREATE TABLE customer (id TEXT NOT NULL PRIMARY KEY)", in: "other.db")
                let other = "sqlite:" + run.path("other.db")
                let all = try await run("attach", other, "--from", run.file, "--dry-run")
                #expect(all.contains("CREATE TABLE \"invoice\""))
                #expect(!all.contains("CREATE TABLE \"customer\""))
                #expect(!all.contains("CREATE TRIGGER"))
                #expect(all.contains("-- Once these tables exist"))
                let tables = try await run.run.database("other.db").read { db in
                    try String.fetchAll(
                        db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
                }
                #expect(tables == ["customer"])
                let missing = run.path("missing.db")
                let new = try await run(
                    "attach", "sqlite:" + missing, "--from", run.file, "--dry-run")
                #expect(new.contains("CREATE TABLE \"customer\""))
                #expect(!FileManager.default.fileExists(atPath: missing))
            }
        }

        @Test func `names the table that could not be made, and makes none`() async throws {
            try await SchemaRun.withHub { run in
                // SQLite has one space of names for tables and indexes.
                try await run.execute(
                    "CREATE TABLE t (a INTEGER PRIMARY KEY); CREATE INDEX invoice ON t (a)",
                    in: "other.db")
                let other = "sqlite:" + run.path("other.db")
                let failure = try await run.expectFailure(
                    "attach", other, "--from", run.file, at: other)
                #expect(failure.what.contains("The table invoice could not be made."))
                #expect(failure.what.contains("an index named invoice"))
                #expect(failure.next?.hasPrefix("Nothing was made.") == true)
                let isThere = try await run.run.database("other.db").read { db in
                    try db.tableExists("customer")
                }
                #expect(!isThere)
            }
        }
    }
#endif
