#if Server
    import MoorageCore
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The command schema usage` {
        /// What it prints, and how it fails.
        private func usage(
            _ run: CommandRun, _ arguments: String...
        ) async throws -> (text: String, failure: CommandFailure?) {
            let lines = PrintedLines()
            do {
                try await run.run(["schema", "usage"] + arguments, printing: lines)
                return (lines.text, nil)
            } catch let failure as CommandFailure {
                return (lines.text, failure)
            }
        }

        private func replica(_ run: CommandRun, _ hub: String) async throws -> String {
            let list = try await run("replicas", hub)
            return try #require(
                list.split(separator: "\n").last?.split(separator: " ").first.map(String.init))
        }

        @Test func `says who needs a column, and fails while somebody does`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                let id = try await replica(run, hub)
                let needed = try await usage(
                    run, hub, "--table", "shippers", "--column", "phone")
                #expect(needed.text.contains(id) && needed.text.contains("syncs it"))
                #expect(needed.failure?.exit == .failure)
                #expect(needed.failure?.what.contains("shippers.phone") == true)
                #expect(needed.failure?.what.contains("1 replica") == true)
                try await run("replicas", "revoke", id, hub)
                let safe = try await usage(run, hub, "--table", "shippers", "--days", "7")
                #expect(safe.failure == nil)
                #expect(
                    safe.text == """
                        Safe to drop: shippers. Counted: 0 replicas.
                        Not counted: 1 replica, which the hub refuses.
                        """)
            }
        }

        @Test func `lists versions and tables`() async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run("sample", hub)
                try await run("attach", hub, "--table", "shippers", "--table", "region")
                let none = try await usage(run, hub)
                #expect(none.text == "No replica counts." && none.failure == nil)
                try await run("clone", hub, run.path("a.db"), "--table", "shippers")
                let one = try await usage(run, hub)
                #expect(one.failure == nil)
                #expect(one.text.contains("shippers  1 of 1"))
                #expect(one.text.contains("region    0 of 1"))
                let region = try await usage(run, hub, "--table", "region")
                #expect(region.text == "Safe to drop: region. Counted: 1 replica.")
            }
        }

        @Test func `prints JSON, a line for each`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                let id = try await replica(run, hub)
                let all = try await usage(run, hub, "--json")
                let lines = try all.text.split(separator: "\n").map {
                    try JSON(parsing: String($0))
                }
                guard lines.count == 4, case .number("1")? = lines[0]["version"]?["replicas"],
                    case .string? = lines[1]["table"]?["name"],
                    case .object(let lacking)? = lines[2]["table"]?["lacking"],
                    case .number("1")? = lines[3]["counts"]?["counted"]
                else {
                    Issue.record("The lines are others: \(all.text)")
                    return
                }
                #expect(lacking.isEmpty)
                let drop = try await usage(run, hub, "--table", "region", "--json")
                #expect(drop.failure?.exit == .failure)
                let needs = try drop.text.split(separator: "\n").map {
                    try JSON(parsing: String($0))
                }
                guard needs.count == 2, case .string(id)? = needs[0]["replica"]?["id"],
                    case .string("requested")? = needs[0]["replica"]?["need"],
                    case .bool(false)? = needs[1]["drop"]?["safe"],
                    case .number("1")? = needs[1]["drop"]?["needing"],
                    case .null? = needs[1]["drop"]?["column"]
                else {
                    Issue.record("The lines are others: \(drop.text)")
                    return
                }
            }
        }

        @Test func `says that a name is unknown, with another exit code`() async throws {
            try await CommandRun.withReplica { run, hub, _ in
                for names in [["shipper"], ["shippers", "fax"]] {
                    var arguments = ["schema", "usage", hub, "--table", names[0]]
                    if names.count > 1 { arguments += ["--column", names[1]] }
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run.run(arguments)
                    }
                    #expect(failure?.exit == .usage)
                    #expect(failure?.what.contains(names[names.count - 1]) == true)
                }
            }
        }

        @Test(arguments: [["--column", "phone"], ["--days", "0"], ["--days", "36501"]])
        func `refuses what makes no sense`(arguments: [String]) async throws {
            try await CommandRun.inFolder { run in
                let failure = await #expect(throws: (any Error).self) {
                    try await run.run(["schema", "usage", "sqlite:x.db"] + arguments)
                }
                // The missing file would be found later.
                #expect(!(failure is CommandFailure))
            }
        }
    }
#endif
