#if Server
    import Foundation
    import GRDB
    import MoorageConfiguration
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `A replica's file` {
        private func address(_ run: CommandRun) async throws -> String? {
            try await run.database("a.db").read {
                try String.fetchOne(
                    $0, sql: "SELECT value FROM _moorage_meta WHERE name = 'address'")
            }
        }

        @Test func `remembers its hub`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                let synced = try await run("sync", file)
                #expect(synced.contains("caught up"))
                #expect(try await run("verify", file) == "equal  \(file)")
                #expect(try await address(run) == hub)
            }
        }

        @Test func `that remembers no hub, or no secret of it, says so`() async throws {
            let nobody = try ClosedPort()
            try await CommandRun.withReplica { run, hub, file in
                try await run.database("a.db").write {
                    try $0.execute(sql: "DELETE FROM _moorage_meta WHERE name = 'address'")
                }
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("sync", file)
                }
                #expect(failure?.exit == .usage)
                #expect(failure?.next?.contains("--hub") == true)
                try await run("sync", file, "--hub", hub)
                try await run("sync", file)
                try await run.database("a.db").write {
                    try $0.execute(
                        sql: """
                            UPDATE _moorage_meta
                            SET value = 'http://127.0.0.1:\(nobody.number)'
                            WHERE name = 'address'
                            """)
                }
                // The file names the server; its secret comes from elsewhere.
                let unsigned = await #expect(throws: CommandFailure.self) {
                    try await run("sync", file)
                }
                #expect(unsigned?.exit == .unauthorized)
                let none = await #expect(throws: CommandFailure.self) {
                    try await run("sync", run.path("none.db"))
                }
                #expect(none?.what.contains("no such file") == true)
            }
            withExtendedLifetime(nobody) {}
        }

        @Test func `does not remember a hub that is not its own`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                let other = "sqlite:" + run.path("other.db")
                try await run("sample", other)
                try await run("attach", other)
                await #expect(throws: (any Error).self) {
                    try await run("sync", file, "--hub", other)
                }
                #expect(try await address(run) == hub)
            }
        }

        @Test func `is named before or behind its hub`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                let cloned = try await run("clone", run.path("b.db"), "--hub", hub)
                #expect(cloned.hasPrefix("cloned  \(run.path("b.db"))"))
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("sync", hub)
                }
                #expect(failure?.next?.contains("--hub") == true)
            }
        }

        @Test func `tells how many changes a list leaves out`() async throws {
            try await CommandRun.withReplica { run, _, file in
                try await run.database("a.db").write {
                    try $0.execute(sql: "UPDATE shippers SET phone = 'x'")
                }
                let count = try await run("pending", file).split(separator: "\n").count
                let lines = try await run("pending", file, "--limit", "2").split(separator: "\n")
                #expect(lines.count == 3)
                #expect(lines.last == "… \(count - 2) more pending: --limit <n> lists more.")
                #expect(
                    try await !run("pending", file, "--limit", "\(count)").contains("more pending"))
            }
        }

        @Test func `with a suspended table is neither caught up nor equal`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                try await run.database("central.db").write {
                    try $0.execute(sql: "ALTER TABLE shippers RENAME COLUMN phone TO telephone")
                }
                try await run.database("a.db").write {
                    try $0.execute(sql: "UPDATE shippers SET phone = 'x' WHERE shipper_id = 1")
                }
                for command in ["sync", "sync", "verify"] {
                    let lines = PrintedLines()
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run.run([command, file], printing: lines)
                    }
                    #expect(failure?.exit == .suspended)
                    #expect(failure?.what == "A table is suspended; 1 of its changes wait.")
                    #expect(lines.text.contains("but for"))
                    #expect(lines.text.contains("suspended  shippers  1 pending"))
                }
                try await run("attach", hub)
                #expect(try await run("sync", file).hasSuffix("caught up"))
                #expect(try await run("verify", file) == "equal  \(file)")
            }
        }
    }
#endif
