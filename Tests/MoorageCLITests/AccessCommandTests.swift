#if Server
    import Foundation
    import GRDB
    import MoorageCore
    import MoorageHub
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageCLI
    @testable import MoorageConfiguration

    @Suite(.ownThreads) struct `The commands about users and replicas` {
        private static let settings = """
            signIn:
              issuer: dev
              audience: moorage
              keys: [{kid: dev, algorithm: HS256, secret: "a secret of thirty-two bytes or more"}]
            """

        @Test func `make a token that the configuration takes`() async throws {
            try await CommandRun.inFolder { run in
                let config = try run.write(Self.settings, to: "m.yaml")
                let token = try await run(
                    "token", "--config", config, "--subject", "ada", "--claim", "employee=5",
                    "--claim", "roles=clerk", "--claim", "roles=boss", "--claim", "note=a=b")
                let settings = try MoorageConfiguration.load(config, environment: [:])
                let signIn = try await settings.signIn.signIn(secret: nil)
                let payload = token.split(separator: ".")[1]
                let claims = try JSON(parsing: #require(Base64.decode(urlSafe: payload)))
                guard case .number("5")? = claims["employee"],
                    case .array(let roles)? = claims["roles"], case .string("a=b")? = claims["note"]
                else {
                    Issue.record("The claims are others.")
                    return
                }
                #expect(roles.count == 2 && signIn.tokens?.keys.count == 1)
            }
        }

        @Test func `say what a configuration lacks for a token`() async throws {
            try await CommandRun.inFolder { run in
                let none = try run.write("listen: 127.0.0.1:1", to: "none.yaml")
                let set = try run.write(
                    "signIn: {issuer: i, audience: a, keySet: \"https://id.example/keys\"}",
                    to: "set.yaml")
                for config in [none, set] {
                    let failure = await #expect(throws: CommandFailure.self) {
                        try await run("token", "--config", config, "--subject", "ada")
                    }
                    #expect(failure?.exit == .configuration)
                }
                let known = try run.write(Self.settings, to: "m.yaml")
                await #expect(throws: CommandFailure.self) {
                    try await run(
                        "token", "--config", known, "--subject", "ada", "--kid", "other")
                }
            }
        }

        @Test func `list replicas, revoke, wipe and restore them`() async throws {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                try await run("sample", url)
                try await run("attach", url)
                #expect(try await run("replicas", url) == "No replicas.")
                let file = run.path("replica.db")
                try await run("clone", url, file, "--table", "region")
                try await DatabaseQueue(path: file).write {
                    try $0.execute(sql: "UPDATE region SET region_description = 'edited'")
                }
                try await run("sync", file, "--hub", url)
                let list = try await run("replicas", url)
                let id = try #require(
                    list.split(separator: "\n").last?.split(separator: " ").first.map(String.init))
                #expect(list.contains("active"))
                let json = try JSON(parsing: try await run("replicas", url, "--json"))
                guard case .string(id)? = json["id"], case .string? = json["report"]?["platform"]
                else {
                    Issue.record("The line is another.")
                    return
                }
                #expect(try await run("replicas", "revoke", id, url) == "revoked  \(id)")
                await #expect(throws: (any Error).self) {
                    try await run("sync", file, "--hub", url)
                }
                #expect(
                    try await run("replicas", "restore", String(id.prefix(6)), url)
                        == "active  \(id)")
                try await run("sync", file, "--hub", url)
                try await run("replicas", "wipe", id, url)
                await #expect(throws: (any Error).self) {
                    try await run("sync", file, "--hub", url)
                }
                let left = try await DatabaseQueue(path: file).read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM region")
                }
                #expect(left == 0)
                await #expect(throws: (any Error).self) {
                    try await run("sync", file, "--hub", url)
                }
                #expect(try await run("replicas", "list", url).contains("wiped"))
                await #expect(throws: (any Error).self) {
                    try await run("replicas", "revoke", "nobody", url)
                }
            }
        }

        @Test func `show who changed what, what is held about a person, and forget it`()
            async throws
        {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                try await run("sample", url)
                try await run("attach", url)
                let config = try run.write("audit: {days: 30}", to: "m.yaml")
                let file = run.path("replica.db")
                try await run("clone", url, file, "--table", "region")
                try await DatabaseQueue(path: file).write {
                    try $0.execute(
                        sql: "UPDATE region SET region_description = 'edited' WHERE region_id = 1")
                }
                try await run("sync", file, "--hub", url, "--config", config)
                let lines = try await run("audit", url, "--table", "region")
                #expect(lines.contains("update") && lines.contains("region_description"))
                #expect(!lines.contains("edited"))
                let json = try JSON(parsing: try await run("audit", url, "--json", "--days", "1"))
                guard case .string("applied")? = json["outcome"] else {
                    Issue.record("The line is another.")
                    return
                }
                #expect(try await run("audit", url, "--subject", "ada") == "Nothing is noted.")
                // It was nobody's: make it ada's, as a server would.
                let id = try #require(
                    try await run("replicas", url).split(separator: "\n").last?
                        .split(separator: " ").first.map(String.init))
                try await run("replicas", "restore", id, url)
                try await DatabaseQueue(path: run.path("central.db")).write {
                    try $0.execute(sql: "UPDATE moorage_registration SET subject = 'ada'")
                }
                let held = try await run("export", "--subject", "ada", url)
                #expect(held.contains(#"{"replica":{"id":"\#(id)""#))
                let gone = try await run("forget", "--subject", "ada", url)
                #expect(gone.hasPrefix("forgotten  1 replicas"))
                #expect(try await run("export", "--subject", "ada", url) == "")
                #expect(try await run("audit", url) == "Nothing is noted.")
                await #expect(throws: (any Error).self) {
                    try await run("sync", file, "--hub", url)
                }
            }
        }

        @Test func `attach what the configuration says of scopes and columns, or say why not`()
            async throws
        {
            try await CommandRun.inFolder { run in
                let url = "sqlite:" + run.path("central.db")
                try await run("sample", url)
                let scoped = try run.write(
                    """
                    scopes: {employee: claims.employee}
                    tables:
                      orders: {scope: {employee: employee_id}, columns: {freight: {direction: down}}}
                      order_details: {scope: {through: order_id}}
                    """, to: "scoped.yaml")
                let open = try run.write(
                    "tables: {orders: {}, order_details: {}}", to: "open.yaml")
                let wrong = try run.write(
                    "tables: {orders: {columns: {fright: {sync: false}}}}", to: "wrong.yaml")
                try await run("attach", url, "--config", scoped)
                await #expect(throws: (any Error).self) {
                    try await run("attach", url, "--config", open)
                }
                try await run("attach", url, "--config", open, "--unscope")
                let failure = await #expect(throws: (any Error).self) {
                    try await run("attach", url, "--config", wrong)
                }
                #expect("\(try #require(failure))".contains("fright"))
            }
        }
    }
#endif
