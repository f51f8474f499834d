#if Server
    import Foundation
    import GRDB
    import Testing

    @testable import MoorageCLI

    @Suite struct `A replica's commands` {
        /// An attached example and a replica of it.
        private func withReplica(
            _ body: (CommandRun, _ hub: String, _ file: String) async throws -> Void
        ) async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run("sample", hub)
                try await run("attach", hub, "--table", "shippers", "--table", "region")
                let cloned = try await run("clone", hub, run.path("a.db"))
                #expect(!cloned.hasSuffix(": 0 rows"))
                try await body(run, hub, run.path("a.db"))
            }
        }

        @Test func `clone, sync and verify`() async throws {
            try await withReplica { run, hub, file in
                #expect(try await run("verify", file, "--hub", hub) == "equal  \(file)")
                try await run.database("a.db").write { db in
                    try db.execute(sql: "UPDATE shippers SET phone = '1' WHERE shipper_id = 1")
                }
                #expect(try await run("pending", file).contains("shippers  [1]"))
                #expect(try await run("status", file).contains("pending    1"))
                #expect(
                    try await run("sync", file, "--hub", hub).contains("1 pushed"))
                #expect(try await run("pending", file) == "Nothing is pending.")
                let phone = try await run.database("central.db").read { db in
                    try String.fetchOne(
                        db, sql: "SELECT phone FROM shippers WHERE shipper_id = 1")
                }
                #expect(phone == "1")
                #expect(try await run("verify", file, "--hub", hub) == "equal  \(file)")
            }
        }

        @Test func `name the row that differs, and fail`() async throws {
            try await withReplica { run, hub, file in
                try await run.database("a.db").write { db in
                    // Past the triggers, as nothing but a repair tool would.
                    try db.execute(
                        sql: """
                            INSERT INTO _moorage_applying VALUES (1);
                            UPDATE shippers SET phone = 'x' WHERE shipper_id = 2;
                            DELETE FROM shippers WHERE shipper_id = 3;
                            DELETE FROM _moorage_applying;
                            """)
                }
                let lines = PrintedLines()
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run.run(["verify", file, "--hub", hub], printing: lines)
                }
                #expect(failure?.exit == .failure)
                #expect(lines.text.contains("shippers  [2]  differs"))
                #expect(lines.text.contains("shippers  [3]  missingHere"))
            }
        }

        @Test func `say what is wrong with a file`() async throws {
            try await withReplica { run, hub, file in
                try await run.database("plain.db").write {
                    try $0.execute(sql: "CREATE TABLE t(a)")
                }
                let text = try run.write("this is no database, but long enough to be read", to: "x")
                for name in ["none.db", "plain.db"] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run("status", run.path(name))
                    }
                    #expect(failure?.next?.contains("moorage clone") == true)
                }
                await #expect(throws: (any Error).self) { try await run("status", text) }
                // A second clone into a file that is one.
                await #expect(throws: (any Error).self) { try await run("clone", hub, file) }
            }
        }

        @Test func `need the secret of a server`() async throws {
            try await CommandRun.inFolder { run in
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("clone", "http://127.0.0.1:1", run.path("a.db"))
                }
                #expect(failure?.exit == .unauthorized)
            }
        }

        @Test func `say that a server does not answer`() async throws {
            try await CommandRun.inFolder { run in
                let secret = try run.write("0123456789abcdef0123", to: "secret")
                let error = await #expect(throws: (any Error).self) {
                    try await run(
                        "clone", "http://127.0.0.1:1", run.path("a.db"), "--secret-file", secret)
                }
                let failure = try #require(error.map { CommandFailure(explaining: $0) })
                #expect(failure.exit == .temporary)
                #expect(failure.next != nil)
            }
        }
    }

    @Suite struct `The demo` {
        @Test func `tells the whole story, and it is true`() async throws {
            try await CommandRun.inFolder { run in
                let printed = try await run("demo", "--folder", run.path("demo"))
                #expect(printed.contains("All three are equal"))
                #expect(printed.contains("Conflict log: orders"))
                #expect(printed.contains("Done in"))
            }
        }
    }
#endif
