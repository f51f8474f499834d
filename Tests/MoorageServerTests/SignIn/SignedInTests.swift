#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageSupport
    import MoorageTesting
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    /// Users with tokens, over a real socket.
    @Suite(.ownThreads) struct `Users who sign in` {
        private struct Bench: Sendable {
            let central: SQLiteDatabase
            let hub: Hub
            let issuer: TokenIssuer
            let signIn: SignIn

            init() async throws {
                central = try SQLiteDatabase()
                try central.execute(
                    """
                    CREATE TABLE orders(
                      id TEXT PRIMARY KEY NOT NULL, employee INTEGER, note TEXT);
                    CREATE TABLE products(id TEXT PRIMARY KEY NOT NULL, name TEXT);
                    INSERT INTO orders VALUES ('o1', 1, 'of one'), ('o2', 2, 'of two');
                    INSERT INTO products VALUES ('p', 'of all');
                    """)
                var configuration = HubConfiguration()
                configuration.scopes = ScopeSettings(
                    rules: ["orders": [ScopeRule(.column(kind: "employee", "employee"))]],
                    holdings: ["employee": .claim("employee")])
                hub = Hub(database: central, configuration: configuration)
                _ = try await hub.attach()
                let key = try await TestKeys.signing(.es256)
                issuer = TokenIssuer(key: key, issuer: "i", audience: "a")
                signIn = SignIn(
                    secret: try SharedSecret(Sample.secret),
                    apiKeys: [
                        APIKey(
                            name: "reports", key: try SharedSecret("an-api-key-of-the-reports"),
                            claims: ["employee": ["1", "2"]])
                    ],
                    tokens: TokenRules(
                        issuer: "i", audience: "a",
                        keys: [try await TestKeys.checking(.es256)]))
            }

            func token(_ subject: String, employee: Int, life: Int64 = 600) throws -> String {
                try issuer.token(
                    subject: subject, claims: [("employee", .number(String(employee)))],
                    now: Int64(Date().timeIntervalSince1970), life: life)
            }

            func run<Result: Sendable>(
                _ test: @Sendable (RunningServer, URL) async throws -> Result
            ) async throws -> Result {
                try await RunningServer.run(hub, signIn: signIn) { server in
                    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
                    return try await test(server, url)
                }
            }
        }

        private func clone(
            _ url: URL, _ credentials: HubCredentials, into file: DatabaseQueue
        ) async throws -> Replica {
            try await Replica.clone(
                into: file, from: .http(url, credentials: credentials),
                tables: ["orders", "products"])
        }

        private func open(
            _ url: URL, _ credentials: HubCredentials, _ file: DatabaseQueue,
            options: ReplicaOptions = ReplicaOptions()
        ) async throws -> Replica {
            try await Replica(
                database: file, hub: .http(url, credentials: credentials),
                tables: [.table("orders"), .table("products")], options: options)
        }

        private func orders(_ file: DatabaseQueue) async throws -> [String] {
            try await file.read {
                try String.fetchAll($0, sql: "SELECT id FROM orders ORDER BY id")
            }
        }

        @Test func `get what is theirs; who comes with the secret, what is everyone's`()
            async throws
        {
            let bench = try await Bench()
            try await bench.run { _, url in
                let secrets: [(HubCredentials, [String])] = [
                    (.secret(try bench.token("ada", employee: 1)), ["o1"]),
                    (.secret(try bench.token("bob", employee: 2)), ["o2"]),
                    (.secret("an-api-key-of-the-reports"), ["o1", "o2"]),
                    (.secret(Sample.secret), []),
                ]
                for (credentials, expected) in secrets {
                    let file = try DatabaseQueue()
                    let replica = try await clone(url, credentials, into: file)
                    #expect(try await orders(file) == expected)
                    #expect(try await replica.verify().isEmpty)
                    let products = try await file.read {
                        try Int.fetchOne($0, sql: "SELECT count(*) FROM products")
                    }
                    #expect(products == 1)
                }
            }
        }

        @Test func `are asked for another token when theirs has run out, and lose nothing`()
            async throws
        {
            let bench = try await Bench()
            try await bench.run { _, url in
                let file = try DatabaseQueue()
                _ = try await clone(url, .secret(try bench.token("ada", employee: 1)), into: file)
                try await file.write {
                    try $0.execute(sql: "UPDATE orders SET note = 'edited'")
                }
                let expired = try bench.token("ada", employee: 1, life: -60)
                let asked = Locked<[String?]>([])
                let isSignedIn = Locked(false)
                let replica = try await open(
                    url,
                    .token { refused in
                        asked.withLock { $0.append(refused) }
                        if refused == nil { return expired }
                        guard isSignedIn.withLock({ $0 }) else { throw CancellationError() }
                        return try bench.token("ada", employee: 1)
                    }, file)
                let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
                #expect(error?.recovery == .signIn)
                #expect(try await replica.pendingChanges.fetch().count == 1)
                isSignedIn.withLock { $0 = true }
                #expect(try await replica.sync().changesPushed == 1)
                // One exchange asks once for each request, and once more after the refusal.
                #expect(asked.withLock { $0.prefix(2) == [nil, expired] })
            }
        }

        @Test func `pause while there is no token`() async throws {
            struct SignedOut: Error {}
            let bench = try await Bench()
            try await bench.run { _, url in
                let file = try DatabaseQueue()
                _ = try await clone(url, .secret(try bench.token("ada", employee: 1)), into: file)
                for credentials in [
                    HubCredentials.token { _ in throw SignedOut() }, .secret("a\nb"), .secret(""),
                    .secret(try bench.token("ada", employee: 1, life: -60)),
                ] {
                    let replica = try await open(url, credentials, file)
                    try await file.write {
                        try $0.execute(sql: "UPDATE orders SET note = 'kept'")
                    }
                    let error = await #expect(throws: ReplicaError.self) {
                        try await replica.sync()
                    }
                    #expect(error?.recovery == .signIn)
                    #expect(try await replica.pendingChanges.fetch().count == 1)
                }
            }
        }

        @Test func `never push another's changes`() async throws {
            let bench = try await Bench()
            try await bench.run { _, url in
                let file = try DatabaseQueue()
                _ = try await clone(url, .secret(try bench.token("ada", employee: 1)), into: file)
                try await file.write {
                    try $0.execute(sql: "UPDATE orders SET note = 'by ada', employee = 2")
                }
                let bob = try await open(
                    url, .secret(try bench.token("bob", employee: 2)), file)
                for credentials in [
                    HubCredentials.secret(try bench.token("bob", employee: 2)),
                    .secret(Sample.secret), .secret("an-api-key-of-the-reports"),
                ] {
                    let other = try await open(url, credentials, file)
                    let error = await #expect(throws: ReplicaError.self) { try await other.sync() }
                    #expect(error?.code == .hub(.differentUser))
                    #expect(error?.recovery == .choose)
                    _ = await #expect(throws: ReplicaError.self) { try await other.verify() }
                }
                // The file is kept for its user, …
                #expect(try await bob.pendingChanges.fetch().count == 1)
                // … or put aside, and started over.
                let archive = FileManager.default.temporaryDirectory
                    .appending(path: "moorage-\(UUID().uuidString).sqlite").path
                defer { try? FileManager.default.removeItem(atPath: archive) }
                try await bob.startOver(archivingTo: archive)
                #expect(try await orders(file).isEmpty)
                #expect(try await bob.pendingChanges.fetch().isEmpty)
                try await bob.sync()
                #expect(try await orders(file) == ["o2"])
                #expect(try await bob.verify().isEmpty)
                _ = await #expect(throws: ReplicaError.self) {
                    try await bob.startOver(archivingTo: archive)
                }
                #expect(try await orders(file) == ["o2"])
                // What was put aside goes on as its own user's.
                let kept = try DatabaseQueue(path: archive)
                let ada = try await open(
                    url, .secret(try bench.token("ada", employee: 1)), kept)
                #expect(try await ada.pendingChanges.fetch().count == 1)
                #expect(try await ada.sync().changesRefused == 1)
            }
        }

        @Test func `may have a file that nobody had before`() async throws {
            let bench = try await Bench()
            try await bench.run { _, url in
                let file = try DatabaseQueue()
                _ = try await clone(url, .secret(Sample.secret), into: file)
                let ada = try await open(
                    url, .secret(try bench.token("ada", employee: 1)), file)
                try await ada.sync()
                #expect(try await orders(file) == ["o1"])
                let before = try await open(url, .secret(Sample.secret), file)
                _ = await #expect(throws: ReplicaError.self) { try await before.sync() }
            }
        }

        @Test func `are refused when their replica is revoked, and let in again`() async throws {
            let bench = try await Bench()
            try await bench.run { _, url in
                let file = try DatabaseQueue()
                let replica = try await clone(
                    url, .secret(try bench.token("ada", employee: 1)), into: file)
                let listed = try await bench.hub.replicas()
                #expect(listed.map(\.subject) == ["ada"])
                let id = try #require(listed.first?.id)
                try await file.write {
                    try $0.execute(sql: "UPDATE orders SET note = 'edited'")
                }
                let revoked = try await bench.hub.set(.revoked, replica: String(id.prefix(8)))
                #expect(revoked.standing == .revoked)
                let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
                #expect(error?.code == .hub(.replicaRevoked))
                _ = await #expect(throws: ReplicaError.self) { try await replica.verify() }
                _ = await #expect(throws: ReplicaError.self) { try await replica.run() }
                #expect(try await replica.pendingChanges.fetch().count == 1)
                await replica.start()
                for await status in replica.statuses() where status.phase == .stopped { break }
                // Otherwise the background sync would be the first that is let in.
                await replica.stop()
                _ = try await bench.hub.set(.active, replica: id)
                #expect(try await replica.sync().changesPushed == 1)
                await #expect(throws: HubError.self) {
                    _ = try await bench.hub.set(.revoked, replica: "nobody")
                }
            }
        }

        @Test func `lose what their device holds when it is wiped, after the app was told`()
            async throws
        {
            let bench = try await Bench()
            try await bench.run { _, url in
                let file = try DatabaseQueue()
                let token = try bench.token("ada", employee: 1)
                _ = try await clone(url, .secret(token), into: file)
                try await file.write { db in
                    try db.execute(
                        sql: """
                            CREATE TABLE draft(id INTEGER PRIMARY KEY,
                              o TEXT REFERENCES orders(id), c TEXT REFERENCES orders(id) ON DELETE CASCADE);
                            INSERT INTO draft VALUES (1, NULL, 'o1'), (2, NULL, NULL), (3, 'o1', NULL);
                            CREATE TABLE must(o TEXT NOT NULL REFERENCES orders(id));
                            INSERT INTO must VALUES ('o1');
                            UPDATE orders SET note = 'edited';
                            """)
                }
                let told = Locked<[Int]>([])
                var options = ReplicaOptions()
                options.willWipe = {
                    let count = try? await file.read {
                        try Int.fetchOne($0, sql: "SELECT count(*) FROM orders")
                    }
                    told.withLock { $0.append(count ?? -1) }
                }
                let replica = try await open(url, .secret(token), file, options: options)
                let id = try #require(try await bench.hub.replicas().first?.id)
                _ = try await bench.hub.set(.toBeWiped, replica: id)
                let error = await #expect(throws: ReplicaError.self) { try await replica.sync() }
                #expect(error?.code == .hub(.replicaWiped))
                #expect(told.withLock { $0 } == [1])
                #expect(try await orders(file).isEmpty)
                #expect(try await replica.pendingChanges.fetch().isEmpty)
                let drafts = try await file.read {
                    try Int.fetchAll($0, sql: "SELECT id FROM draft")
                }
                #expect(drafts == [2, 3])
                let broken = try await file.read {
                    try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").count
                        + Int.fetchOne($0, sql: "SELECT count(*) FROM must")!
                }
                #expect(broken == 0)
                #expect(try await bench.hub.replicas().first?.standing == .beingWiped)
                _ = await #expect(throws: ReplicaError.self) { try await replica.run() }
                #expect(try await bench.hub.replicas().first?.standing == .wiped)
                // The app hears of it once.
                #expect(told.withLock { $0.count } == 1)
                let note = try bench.central.perform {
                    try $0.run("SELECT note FROM orders WHERE id = 'o1'", [])
                }
                #expect(note == [[.text("of one")]])
            }
        }

        @Test func `are not disturbed by one wrong token among many good ones`() async throws {
            let count = isNightly ? 1_000 : 200
            let bench = try await Bench()
            try await bench.run { server, _ in
                // Several tokens, because one alone may not come so often.
                let tokens = try (0..<4).map { try bench.token("user \($0)", employee: 1) }
                for number in 0..<count {
                    let good = tokens[number % tokens.count]
                    let isWrong = number == count / 2
                    let answer = try await server.ask(
                        "GET", "/v1/schema", secret: isWrong ? good + "x" : good)
                    #expect(answer.status == (isWrong ? 401 : 200))
                }
            }
        }

        @Test func `are told the same, whatever is wrong with a token; the log knows`()
            async throws
        {
            let bench = try await Bench()
            try await bench.run { server, _ in
                // No hexadecimal id in a line of the log can be taken for it.
                let user = "lovelace"
                let expired = try bench.token(user, employee: 1, life: -60)
                var answers: Set<String> = []
                for token in [expired, "no-token", "a.b.c", expired + "x", ""] {
                    let answer = try await server.ask("GET", "/v1/schema", secret: token)
                    #expect(answer.status == 401)
                    answers.insert(answer.body)
                }
                #expect(answers.count == 1)
                let lines = server.log.all
                #expect(lines.contains { $0.contains("It has expired.") })
                #expect(!lines.contains { $0.contains(user) || $0.contains(expired) })
            }
        }

        @Test func `need a hub that knows users`() async throws {
            let bench = try await Bench()
            await #expect(throws: HubError.self) {
                try await RunningServer.run(ScriptedHub(), signIn: bench.signIn) { _ in }
            }
            let token = try SharedSecret(bench.token("ada", employee: 1))
            let key = try SharedSecret("an-api-key-of-a-program")
            for signIn in [
                SignIn(), SignIn(secret: token),
                SignIn(secret: key, apiKeys: [APIKey(name: "a", key: key)]),
                SignIn(apiKeys: [APIKey(name: "a", key: key, subject: "")]),
                SignIn(apiKeys: [APIKey(name: "a", key: key, subject: "a\0b")]),
                SignIn(tokens: TokenRules(issuer: "", audience: "a", keys: [])),
                SignIn(tokens: TokenRules(issuer: "i", audience: "a")),
                SignIn(
                    tokens: TokenRules(
                        issuer: "i", audience: "a",
                        keys: [
                            try await TestKeys.signing(.es256), try await TestKeys.signing(.hs256),
                        ])),
            ] {
                #expect(throws: HubError.self) { try signIn.validate() }
            }
        }
    }
#endif
