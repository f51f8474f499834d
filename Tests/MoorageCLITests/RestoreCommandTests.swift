#if Server
    import MoorageConfiguration
    import MoorageCore
    import TestSupport
    import Testing

    @testable import MoorageCLI

    @Suite(.ownThreads) struct `The command restore-check` {
        private static let other = "6fa9de85-6161-4583-9060-401245a55af9"

        private func check(
            _ run: CommandRun, _ arguments: String...
        ) async throws -> (text: String, failure: CommandFailure?) {
            let lines = PrintedLines()
            do {
                try await run.run(["restore-check"] + arguments, printing: lines)
                return (lines.text, nil)
            } catch let failure as CommandFailure {
                return (lines.text, failure)
            }
        }

        @Test func `says what to do first, and fails until that is done`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                let before = try await check(run, hub)
                #expect(before.failure?.exit == .failure)
                #expect(before.failure?.what == "1 step before devices may come back.")
                #expect(before.text.contains("$ moorage attach --new-epoch \(hub)"))
                #expect(before.text.contains("After a new epoch 1 replica read"))
                try await run(
                    "attach", hub, "--table", "shippers", "--table", "region", "--new-epoch")
                let after = try await check(run, hub, "--days", "1")
                #expect(after.failure == nil)
                #expect(after.text.hasSuffix("Devices may come back."))
            }
        }

        @Test func `prints JSON, a line for each`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                let printed = try await check(run, hub, "--json")
                #expect(printed.failure?.exit == .failure)
                let lines = try printed.text.split(separator: "\n").map {
                    try JSON(parsing: String($0))
                }
                guard lines.count == 4, case .string? = lines[0]["restore"]?["hub"],
                    case .bool(false)? = lines[0]["restore"]?["mayComeBack"],
                    case .null? = lines[0]["restore"]?["copiedAt"],
                    case .number("1")? = lines[0]["restore"]?["accepted"],
                    case .string("region")? = lines[1]["table"]?["name"],
                    case .null? = lines[1]["table"]?["suspended"],
                    case .string("newEpoch")? = lines[3]["step"]?["kind"],
                    case .string? = lines[3]["step"]?["command"]
                else {
                    Issue.record("The lines are others: \(printed.text)")
                    return
                }
            }
        }

        @Test func `gives the id with which a hub goes on in another database`() async throws {
            try await CommandRun.withReplica { run, hub, file in
                let line = try #require(
                    try await check(run, hub, "--json").text.split(separator: "\n").first)
                guard case .string(let id)? = try JSON(parsing: String(line))["restore"]?["hub"]
                else {
                    Issue.record("There is no id: \(line)")
                    return
                }
                let moved = "sqlite:" + run.path("moved.db")
                try await run("sample", moved)
                let bare = try await check(run, moved)
                #expect(bare.failure?.next?.contains("moorage attach --hub") == true)
                let attached = try await run(
                    "attach", moved, "--table", "shippers", "--table", "region", "--hub", id)
                #expect(attached.hasSuffix("every replica reconciles."))
                #expect(try await check(run, moved).failure == nil)
                try await run("sync", file, "--hub", moved)
                let verified = try await run("verify", file, "--hub", moved)
                #expect(verified.contains("equal"))
                // A database that is attached stays what it is.
                let refused = await #expect(throws: CommandFailure.self) {
                    try await run("attach", moved, "--hub", Self.other)
                }
                #expect(refused?.what.contains(id) == true && refused?.next == nil)
            }
        }
    }
#endif
