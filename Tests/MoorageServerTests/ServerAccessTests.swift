#if Server
    import MoorageServer
    import MoorageWire
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `Access to the server` {
        static let paths = [
            "/v1/exchange", "/v1/schema", "/v1/compare", "//v1/exchange", "/v1/exchange/",
            "/v1//exchange", "/V1/EXCHANGE", "/v1/%65xchange", "/v1/./exchange", "/v1/schema?x=1",
            "/", "/v1", "/debug", "/health/", "//health", "/health/../v1/schema", "*",
            "http://hub/v1/schema", "/metrics",
        ]

        @Test(arguments: paths)
        func `needs the secret, however the path is spelt`(path: String) async throws {
            let asked = Counter()
            let hub = ScriptedHub(
                onExchange: { _, _ in await asked.add() },
                onSchema: {
                    await asked.add()
                    throw HubError(.internalError, "asked")
                })
            try await RunningServer.run(hub) { server in
                for method in ["GET", "POST", "OPTIONS", "HEAD", "PUT"] {
                    for secret in [nil, "wrong", Sample.secret + "x", ""] {
                        let answer = try await server.ask(
                            method, path, secret: secret, body: Sample.request.encoded())
                        #expect([400, 401].contains(answer.status))
                    }
                }
            }
            #expect(await asked.count == 0)
        }

        @Test(arguments: ["//v1/exchange", "/v1/exchange/", "/V1/exchange", "/v1/%65xchange"])
        func `knows one spelling of each path`(path: String) async throws {
            try await RunningServer.run { server in
                let answer = try await server.ask("POST", path, body: Sample.request.encoded())
                #expect(answer.status == 404)
            }
        }

        @Test func `takes one method a path`() async throws {
            try await RunningServer.run { server in
                let get = try await server.ask("GET", "/v1/exchange")
                #expect(get.status == 405)
                #expect(get.fields["allow"] == "POST")
                #expect(try await server.ask("POST", "/v1/schema").status == 405)
                #expect(try await server.ask("DELETE", "/health", secret: nil).status == 405)
            }
        }

        @Test func `refuses two secrets, and other schemes`() async throws {
            try await RunningServer.run { server in
                for fields in [
                    ["Authorization: Bearer \(Sample.secret)"],
                    ["Authorization: Basic \(Sample.secret)"],
                ] {
                    let secret = fields[0].contains("Basic") ? nil : Sample.secret
                    let answer = try await server.ask(
                        "GET", "/v1/schema", secret: secret,
                        fields: fields + ["Connection: close"])
                    #expect(answer.status == 401)
                    #expect(answer.fields["www-authenticate"] == "Bearer")
                }
            }
        }

        @Test func `never shows the secret in the log`() async throws {
            let server = try await RunningServer.run { server in
                _ = try await server.ask("POST", "/v1/exchange", body: Sample.request.encoded())
                _ = try await server.ask("POST", "/v1/exchange", secret: Sample.secret + "x")
                _ = try await server.ask("POST", "/v1/exchange", body: [1, 2, 3])
                return server
            }
            let lines = server.log.all
            #expect(!lines.isEmpty)
            #expect(!lines.contains { $0.contains(Sample.secret) })
            let secret = try SharedSecret(Sample.secret)
            #expect("\(secret)" == "<secret>")
            #expect(!String(reflecting: secret).contains(Sample.secret))
        }

        @Test(arguments: ["", "short", "fifteen-bytes-x", "with a space in it, long enough", "é"])
        func `is refused to a weak or unusable secret`(secret: String) {
            #expect(throws: HubError.self) { try SharedSecret(secret) }
        }

        @Test func `compares secrets whole`() throws {
            let secret = try SharedSecret("0123456789abcdef")
            #expect(secret.matches("0123456789abcdef"))
            for other in [
                "", "0123456789abcde", "0123456789abcdefg", "0123456789abcdeg",
                "0123456789abcdef0123456789abcdef",
            ] {
                #expect(!secret.matches(other))
            }
        }

        @Test func `is refused to plain HTTP off the loopback unless it is asked for`() throws {
            for host in ["0.0.0.0", "192.168.1.5", "::", "example.com", "127.example.com"] {
                var configuration = HubServer.Configuration(
                    listen: ListenAddress(host: host, port: 1),
                    secret: try SharedSecret(Sample.secret))
                #expect(throws: HubError.self) { try configuration.validate() }
                configuration.allowPlainHTTP = true
                #expect(throws: Never.self) { try configuration.validate() }
            }
            for host in ["127.0.0.1", "localhost", "::1", "127.1.2.3"] {
                let configuration = HubServer.Configuration(
                    listen: ListenAddress(host: host, port: 1),
                    secret: try SharedSecret(Sample.secret))
                #expect(throws: Never.self) { try configuration.validate() }
            }
        }

        @Test func `reads addresses`() throws {
            #expect(try ListenAddress("127.0.0.1:8080") == .init(host: "127.0.0.1", port: 8080))
            #expect(try ListenAddress("[::1]:0") == .init(host: "::1", port: 0))
            for text in [
                "", "8080", "host", "host:", ":80", "host:x", "host:70000", "::1:80",
                "host:-1",
            ] {
                #expect(throws: HubError.self) { try ListenAddress(text) }
            }
        }
    }
#endif
