#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageSupport
    import TestSupport
    import Testing

    @testable import MoorageServer

    /// The device knows what its user may write, over a real socket.
    @Suite(.ownThreads) struct `The rights of a user with a token` {
        private let central: SQLiteDatabase
        private let hub: Hub
        private let issuer: TokenIssuer
        private let signIn: SignIn

        init() async throws {
            central = try SQLiteDatabase()
            try central.execute(
                """
                CREATE TABLE orders(id TEXT PRIMARY KEY NOT NULL, note TEXT, price INTEGER);
                INSERT INTO orders VALUES ('o', 'n', 5);
                """)
            var configuration = HubConfiguration()
            configuration.rights.tables["orders"] = [
                "clerk": TableRights(insert: true, update: true, columns: ["note"]), "boss": .all,
            ]
            hub = Hub(database: central, configuration: configuration)
            _ = try await hub.attach()
            issuer = TokenIssuer(
                key: try await TestKeys.signing(.es256), issuer: "i", audience: "a")
            signIn = SignIn(
                tokens: TokenRules(
                    issuer: "i", audience: "a", keys: [try await TestKeys.checking(.es256)]))
        }

        @Test func `reach the device, and change with the next token`() async throws {
            let role = Locked("clerk")
            try await RunningServer.run(hub, signIn: signIn) { [issuer] server in
                let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
                let credentials = HubCredentials.token { _ in
                    try issuer.token(
                        subject: "ada",
                        claims: [("roles", .array([.string(role.withLock { $0 })]))],
                        now: Int64(Date().timeIntervalSince1970), life: 600)
                }
                let file = try DatabaseQueue()
                let replica = try await Replica.clone(
                    into: file, from: .http(url, credentials: credentials), tables: ["orders"])
                let clerk = try await replica.rights(on: "orders")
                #expect(clerk.mayInsert && clerk.mayUpdate && !clerk.mayDelete)
                #expect(clerk.mayUpdate(column: "note") && !clerk.mayUpdate(column: "price"))
                // The hub judges by the same rights.
                try await file.write { try $0.execute(sql: "DELETE FROM orders") }
                #expect(try await replica.sync().changesRefused == 1)
                role.withLock { $0 = "boss" }
                try await replica.sync()
                let boss = try await replica.rights(on: "orders")
                #expect(boss.mayDelete && boss.mayUpdate(column: "price"))
                try await file.write { try $0.execute(sql: "DELETE FROM orders") }
                #expect(try await replica.sync().changesRefused == 0)
            }
            #expect(try central.perform { try $0.run("SELECT id FROM orders", []) }.isEmpty)
        }
    }
#endif
