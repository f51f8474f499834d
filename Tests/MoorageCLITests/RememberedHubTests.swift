#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageHub
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

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

        @Test func `remembers the hub that verify was given`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                try await run.database("a.db").write {
                    try $0.execute(sql: "DELETE FROM _moorage_meta WHERE name = 'address'")
                }
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("verify", file)
                }
                #expect(failure?.next?.contains("After the next sync") == true)
                #expect(try await run("status", file).contains("not remembered"))
                try await run("verify", file, "--hub", hub)
                #expect(try await run("verify", file) == "equal  \(file)")
            }
        }

        @Test func `remembers the hub that a watch was given, once it has caught up`() async throws
        {
            try await CommandRun.withReplica { run, hub, file in
                try await run.database("a.db").write {
                    try $0.execute(sql: "DELETE FROM _moorage_meta WHERE name = 'address'")
                }
                let watch = Task {
                    try await run("sync", file, "--hub", hub, "--watch", "--no-progress")
                }
                try await eventually("the file names its hub") { try await address(run) == hub }
                watch.cancel()
                _ = await watch.result
            }
        }

        @Test func `names its hub when nobody answers there`() async throws {
            let nobody = try ClosedPort()
            try await CommandRun.withReplica { run, _, file in
                let secret = try run.write("0123456789abcdef0123", to: "secret")
                let address = "http://127.0.0.1:\(nobody.number)"
                try await run.database("a.db").write {
                    try $0.execute(
                        sql: "UPDATE _moorage_meta SET value = ? WHERE name = 'address'",
                        arguments: [address])
                }
                for command in ["sync", "verify"] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run(command, file, "--secret-file", secret)
                    }
                    #expect(failure?.exit == .temporary)
                    #expect(failure?.place == address)
                }
                #expect(try await run("status", file).contains("hub             \(address)"))
            }
            withExtendedLifetime(nobody) {}
        }

        @Test func `that is an unfinished clone says how to finish it`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                let file = run.path("b.db")
                let central = try CentralAccess.hub(
                    DatabaseAddress(hub), MoorageConfiguration())
                let connection = BreakingHub(hub: central)
                let access = HubAccess(
                    hub: .direct(connection), connection: connection, place: nil)
                await #expect(throws: (any Error).self) {
                    try await ReplicaFile(path: file).clone(
                        from: access, at: hub, tables: ["region"]
                    ) { _ in }
                }
                let failure = await #expect(throws: CommandFailure.self) {
                    try await run("sync", file)
                }
                #expect(failure?.next?.contains("`moorage clone \(hub) \(file)`") == true)
                // As printed: without the table that it began with.
                try await run("clone", hub, file)
                let tables = try await ReplicaFile(path: file).tableNames()
                #expect(tables == ["region"])
                #expect(try await run("verify", file) == "equal  \(file)")
            }
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

    /// A hub whose connection breaks after the first page.
    private struct BreakingHub: HubConnection {
        let hub: any HubConnection

        func exchange(
            _ request: consuming ExchangeRequest,
            receive: @Sendable (Frame) async throws -> Void
        ) async throws {
            try await hub.exchange(request) { frame in
                try await receive(frame)
                if case .page = frame { throw HubError(.unreachable, "It broke.") }
            }
        }

        func schema() async throws -> SchemaAnswer { try await hub.schema() }

        func compare(_ request: CompareRequest) async throws -> CompareAnswer {
            try await hub.compare(request)
        }
    }
#endif
