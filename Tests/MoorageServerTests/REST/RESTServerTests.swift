#if Server
    import GRDB
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `REST of a server` {
        private func hub() async throws -> Hub {
            let database = SQLiteDatabase(queue: try DatabaseQueue())
            try database.execute(
                """
                CREATE TABLE orders (id INTEGER NOT NULL PRIMARY KEY, owner TEXT, freight DECIMAL(10,2));
                INSERT INTO orders VALUES (1, 'ann', 9.80), (2, 'bob', 1);
                """)
            var configuration = HubConfiguration()
            configuration.scopes = ScopeSettings(
                rules: ["orders": [ScopeRule(.column(kind: "owner", "owner"))]],
                holdings: ["owner": .claim("sub")])
            let hub = Hub(database: database, configuration: configuration)
            _ = try await hub.attach()
            return hub
        }

        private static let key = "0123456789abcdef-ann"

        private func run<Result: Sendable>(
            origins: [WebOrigin] = [], limits: HubServer.Limits = .init(),
            _ test: @Sendable (RunningServer) async throws -> Result
        ) async throws -> Result {
            try await RunningServer.run(
                try await hub(), limits: limits,
                signIn: SignIn(
                    secret: SharedSecret(Sample.secret),
                    apiKeys: [
                        APIKey(name: "ann", key: try SharedSecret(Self.key), subject: "ann")
                    ]), answersREST: true, crossOrigins: origins, test)
        }

        @Test func `answers who signs in, as that user`() async throws {
            try await run { server in
                let none = try await server.ask("GET", "/v1/tables/orders", secret: nil)
                #expect(none.status == 401)
                #expect(none.fields["content-type"] == "application/problem+json")
                #expect(none.fields["www-authenticate"] == "Bearer")
                let ann = try await server.ask("GET", "/v1/tables/orders", secret: Self.key)
                #expect(ann.status == 200)
                #expect(ann.body.contains(#""id":1"#))
                #expect(!ann.body.contains("bob"))
                let other = try await server.ask("GET", "/v1/tables/orders/2", secret: Self.key)
                #expect(other.status == 404)
                #expect(other.body.contains(#""code":"notFound""#))
            }
        }

        @Test func `describes what the user may do`() async throws {
            try await run { server in
                let none = try await server.ask("GET", "/v1/openapi.json", secret: nil)
                #expect(none.status == 401)
                #expect(none.fields["content-type"] == "application/problem+json")
                let first = try await server.ask("GET", "/v1/openapi.json", secret: Self.key)
                #expect(first.status == 200)
                #expect(first.fields["content-type"] == "application/json")
                #expect(first.body.contains(#""/v1/tables/orders/{key}""#))
                let etag = try #require(first.fields["etag"])
                let again = try await server.ask(
                    "GET", "/v1/openapi.json", secret: Self.key,
                    fields: ["If-None-Match: \(etag)"])
                #expect(again.status == 304)
            }
        }

        @Test func `syncs a client that tracks nothing`() async throws {
            try await run { server in
                let fields = ["Content-Type: application/json", "Connection: close"]
                func send(
                    _ path: String, _ body: String, secret: String? = Self.key
                ) async throws -> RawAnswer {
                    try await server.ask(
                        "POST", path, secret: secret, fields: fields, body: Array(body.utf8))
                }
                let manifest = #"{"tables":{"orders":{"rows":[{"key":2},{"key":3}]}}}"#
                let none = try await send("/v1/manifest", manifest, secret: nil)
                #expect(none.status == 401)
                #expect(none.fields["content-type"] == "application/problem+json")
                let answer = try await send("/v1/manifest", manifest)
                #expect(answer.status == 200)
                #expect(answer.body.contains(#""missingHere":[{"key":2},{"key":3}]"#))
                #expect(answer.body.contains(#""missingThere":[{"key":1,"#))
                let changes = try await send(
                    "/v1/synchronise",
                    #"{"tables":{"orders":{"add":[{"id":3,"owner":"ann"}],"get":[1,2]}}}"#)
                #expect(changes.status == 200)
                #expect(changes.body.contains(#""add":[{"status":201,"#))
                #expect(changes.body.contains(#""get":[{"status":200,"#))
                let wrong = try await send("/v1/synchronise", "{", secret: nil)
                #expect(wrong.fields["content-type"] == "application/problem+json")
            }
        }

        @Test func `writes rows, and repeats a named answer`() async throws {
            try await run { server in
                let fields = [
                    "Content-Type: application/json", "Idempotency-Key: k", "Connection: close",
                ]
                let body = Array(#"{"owner":"ann","freight":"2.50"}"#.utf8)
                let first = try await server.ask(
                    "POST", "/v1/tables/orders", secret: Self.key, fields: fields, body: body)
                #expect(first.status == 201)
                #expect(first.fields["location"] == "/v1/tables/orders/3")
                let again = try await server.ask(
                    "POST", "/v1/tables/orders", secret: Self.key, fields: fields, body: body)
                #expect(again.status == 201)
                #expect(again.body == first.body)
                let gone = try await server.ask(
                    "DELETE", "/v1/tables/orders/3", secret: Self.key)
                #expect(gone.status == 204)
                #expect(gone.fields["content-length"] == nil)
                let wrong = try await server.ask("PATCH", "/v1/tables", secret: Self.key)
                #expect(wrong.status == 405)
                #expect(wrong.fields["allow"] == "GET")
            }
        }

        @Test func `lets pages of named sites in, and no others`() async throws {
            try await run(origins: [try WebOrigin("https://app.example.com")]) { server in
                func preflight(_ origin: String) async throws -> RawAnswer {
                    try await server.ask(
                        "OPTIONS", "/v1/tables/orders", secret: nil,
                        fields: [
                            "Origin: \(origin)", "Access-Control-Request-Method: PATCH",
                            "Connection: close",
                        ])
                }
                let own = try await preflight("https://app.example.com")
                #expect(own.status == 204)
                #expect(
                    own.fields["access-control-allow-origin"] == "https://app.example.com")
                #expect(own.fields["access-control-allow-methods"]?.contains("PATCH") == true)
                let other = try await preflight("https://evil.example.com")
                #expect(other.status == 204)
                #expect(other.fields["access-control-allow-origin"] == nil)
                #expect(other.fields["access-control-allow-methods"] == nil)
                let answer = try await server.ask(
                    "GET", "/v1/tables/orders", secret: Self.key,
                    fields: ["Origin: https://app.example.com", "Connection: close"])
                #expect(
                    answer.fields["access-control-allow-origin"] == "https://app.example.com")
                #expect(answer.fields["vary"]?.contains("Origin") == true)
            }
        }

        @Test func `is not there unless the owner says so`() async throws {
            try await RunningServer.run(try await hub()) { server in
                #expect(try await server.ask("GET", "/v1/tables/orders").status == 404)
                let preflight = try await server.ask(
                    "OPTIONS", "/v1/tables/orders", secret: nil,
                    fields: [
                        "Origin: https://app.example.com",
                        "Access-Control-Request-Method: GET", "Connection: close",
                    ])
                #expect(preflight.status == 401)
            }
        }

        @Test func `counts the requests of a user`() async throws {
            var limits = HubServer.Limits()
            limits.requestsPerMinute = 2
            try await run(limits: limits) { server in
                for expected in [200, 200, 429] {
                    let answer = try await server.ask(
                        "GET", "/v1/tables/orders", secret: Self.key)
                    #expect(answer.status == expected)
                    if expected == 429 { #expect(answer.fields["retry-after"] != nil) }
                }
            }
        }
    }
#endif
