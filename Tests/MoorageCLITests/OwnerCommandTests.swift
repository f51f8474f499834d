#if Server
    import Foundation
    import GRDB
    import MoorageConfiguration
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `The owner's commands` {
        @Test func `make an example, attach it and detach it`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                let made = try await run("sample", url, "--size", "1", "--seed", "3")
                #expect(made.contains("13 tables"))
                let before = try await dump(run)
                let attached = try await run("attach", url)
                #expect(attached.contains("attached  orders"))
                #expect(try await dump(run).contains("moorage"))
                try await run("attach", url)
                try await run("detach", url)
                #expect(try await dump(run) == before)
            }
        }

        @Test func `say that a file is no database, which is no outage`() async throws {
            try await CommandRun.inFolder { run in
                let text = try run.write("this is no database, but long enough to be read", to: "x")
                let error = await #expect(throws: (any Error).self) {
                    try await run("attach", "sqlite:" + text)
                }
                let failure = try #require(error.map { CommandFailure(explaining: $0) })
                #expect(failure.exit == .failure)
                #expect(failure.description.contains("\(text) is no SQLite database"))
                #expect(failure.description.contains("Correct the path"))
            }
        }

        @Test func `print what an attach would do, and do nothing`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                try await run("sample", url)
                let before = try await dump(run)
                let sql = try await run("attach", url, "--dry-run")
                #expect(sql.contains("CREATE TRIGGER"))
                #expect(try await dump(run) == before)
            }
        }

        @Test func `add a key to a table without one, and remove it with the rest`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                let queue = try DatabaseQueue(path: run.path("central.db"))
                try await queue.write {
                    try $0.execute(
                        sql: "CREATE TABLE loose (a INTEGER); INSERT INTO loose VALUES (1)")
                }
                let before = try await dump(run)
                let sql = try await run("attach", url, "--add-key", "loose", "--dry-run")
                #expect(sql.contains("ADD COLUMN \"moorage_key\" TEXT;"))
                #expect(try await dump(run) == before)
                let printed = try await run("attach", url, "--add-key", "loose")
                #expect(printed == "attached  loose")
                #expect(try await dump(run).contains("moorage_key"))
                try await run("detach", url)
                #expect(try await dump(run) == before)
            }
        }

        @Test func `attach the tables that are named`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                try await run("sample", url)
                let printed = try await run(
                    "attach", url, "--table", "region", "--table", "shippers")
                #expect(printed == "attached  region\nattached  shippers")
                let config = try run.write("tables: {region: {rule: server}}", to: "m.yaml")
                let again = try await run("attach", url, "--config", config)
                #expect(again == "attached  region\ndetached  shippers")
            }
        }

        @Test func `refuse a rule for a column that is none`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                try await run("sample", url)
                let config = try run.write(
                    "tables: {shippers: {columns: {phonee: {rule: server}}}}", to: "m.yaml")
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("attach", url, "--config", config)
                }
                #expect(failure?.next == "Did you mean `phone`?")
            }
        }

        @Test func `name a file that is not there, and make none`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("none.db")
                for command in ["attach", "detach"] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run(command, url)
                    }
                    #expect(failure?.place == run.path("none.db"))
                }
                #expect(!FileManager.default.fileExists(atPath: run.path("none.db")))
            }
        }

        @Test func `refuse a table that cannot be synced, with the reason`() async throws {
            try await CommandRun.inFolder { run in
                try await run.database("central.db").write { db in
                    try db.execute(sql: "CREATE TABLE loose(a)")
                }
                let url = "sqlite:" + run.path("central.db")
                await #expect(throws: HubError.self) {
                    try await run("attach", url, "--table", "loose")
                }
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("attach", url)
                }
                #expect(failure?.what == "No table can be synced.")
            }
        }

        @Test func `do not serve what is not ready`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                try await run("sample", url)
                let secret = try run.write("0123456789abcdef0123\n", to: "secret")
                let weak = try run.write("short", to: "weak")
                // Nothing is attached yet.
                let unready = await #expect(throws: HubError.self) {
                    try await run("serve", url, "--secret-file", secret)
                }
                #expect(unready?.code == .notAttached)
                let short = await #expect(throws: CommandFailure.self) {
                    try await run("serve", url, "--secret-file", weak)
                }
                #expect(short?.exit == .configuration)
                #expect(short?.place == weak)
                let open = await #expect(throws: HubError.self) {
                    try await run(
                        "serve", url, "--secret-file", secret, "--listen", "0.0.0.0:0")
                }
                #expect(open?.code == .configuration)
            }
        }

        @Test func `print the settings without the secrets`() async throws {
            try await CommandRun.inFolder { run in
                let secret = try run.write("tooSecretToTell0123456", to: "secret")
                let config = try run.write("database: sqlite:a.db", to: "m.yaml")
                let printed = try await run(
                    "serve", "--print-config", "--config", config, "--secret-file", secret)
                #expect(printed.contains("secret: <secret>"))
                #expect(!printed.contains("tooSecretToTell"))
            }
        }

        /// Everything that the database's schema contains, such as tables and triggers, as text.
        private func dump(_ run: CommandRun) async throws -> String {
            try await run.database("central.db").read { db in
                try String.fetchAll(
                    db,
                    sql: """
                        SELECT type || ' ' || name || ' ' || coalesce(sql, '') FROM sqlite_master
                        ORDER BY 1
                        """
                ).joined(separator: "\n")
            }
        }
    }
#endif
