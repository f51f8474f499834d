#if Server
    import MoorageCore
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The command openapi` {
        private static let rights = """
            tables:
              region: {rights: {sales: all, "*": read}}
              shippers: {rights: {sales: all}}
            """

        @Test func `prints what each user may do`() async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                let settings = try run.write(Self.rights, to: "moorage.yaml")
                try await run("sample", hub)
                try await run("attach", hub, "--config", settings)
                func paths(_ arguments: String...) async throws -> [String] {
                    let printed = try await run.run(
                        ["openapi", hub, "--config", settings] + arguments)
                    guard case .object(let members)? = try JSON(parsing: printed)["paths"] else {
                        return []
                    }
                    return members.map(\.name).filter { $0.hasPrefix("/v1/tables/") }
                }
                let region = ["/v1/tables/region", "/v1/tables/region/{key}"]
                let shippers = ["/v1/tables/shippers", "/v1/tables/shippers/{key}"]
                #expect(try await paths() == region)
                #expect(try await paths("--subject", "ada") == region)
                let sales = try await paths(
                    "--subject", "ada", "--claim", "roles=x", "--claim", "roles=sales")
                #expect(sales == region + shippers)
            }
        }

        @Test func `prints the same bytes each time`() async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run("sample", hub)
                try await run("attach", hub)
                let first = try await run("openapi", hub)
                #expect(first.hasPrefix(#"{"openapi":"3.1.0","#))
                #expect(try await run("openapi", hub) == first)
            }
        }

        @Test func `fails for a database that is not attached`() async throws {
            try await CommandRun.inFolder { run in
                let hub = "sqlite:" + run.path("central.db")
                try await run("sample", hub)
                await #expect(throws: (any Error).self) { try await run("openapi", hub) }
            }
        }
    }
#endif
