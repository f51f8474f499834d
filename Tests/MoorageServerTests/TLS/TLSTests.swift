#if Server
    import Foundation
    import GRDB
    import Moorage
    import MoorageAsyncHTTP
    import MoorageCore
    import MoorageHub
    import MoorageSQLite
    import MoorageWire
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `A server that ends TLS` {
        private static let authority = Array(TestCertificates.authority.utf8)

        private func url(_ server: RunningServer, _ host: String = "localhost") throws -> URL {
            try #require(URL(string: "https://\(host):\(server.port)"))
        }

        private func transport(_ pins: String...) throws -> AsyncHTTPTransport {
            let keys = try pins.map { try KeyPin($0) }
            return AsyncHTTPTransport(
                trust: try ServerTrust(authorities: Self.authority, pins: Set(keys)))
        }

        private func schema(
            _ server: RunningServer, _ transport: AsyncHTTPTransport, host: String = "localhost"
        ) async throws -> SchemaAnswer {
            try await HTTPHubConnection(
                url: try url(server, host), secret: Sample.secret, transport: transport
            ).schema()
        }

        @Test(arguments: ["localhost", "127.0.0.1"])
        func `serves who trusts its authority, by its names`(host: String) async throws {
            let folder = try CertificateFolder()
            try await RunningServer.run(tls: folder.files) { server in
                let answer = try await transport().send(
                    HTTPTransportRequest(
                        method: "GET", url: try url(server, host).appending(path: "v1/schema"),
                        headers: [("Authorization", "Bearer \(Sample.secret)")]))
                #expect(answer.status == 200)
                #expect(answer.headers["strict-transport-security"] == "max-age=31536000")
                var bytes: [UInt8] = []
                for try await chunk in answer.body { bytes += chunk }
                #expect(try SchemaAnswer(decoding: bytes).hub == "h")
            }
        }

        @Test func `is refused by who does not trust it, before anything is shown`() async throws {
            let isAsked = Counter()
            let hub = ScriptedHub(onSchema: {
                await isAsked.add()
                throw HubError(.internalError, "Nobody should come this far.")
            })
            let folder = try CertificateFolder()
            try await RunningServer.run(hub, tls: folder.files) { server in
                let another = Array(TestCertificates.another.utf8)
                let strangers = [
                    AsyncHTTPTransport(),
                    AsyncHTTPTransport(trust: try ServerTrust(authorities: another)),
                ]
                for stranger in strangers {
                    let error = await #expect(throws: HubError.self) {
                        try await schema(server, stranger)
                    }
                    #expect(error?.code == .untrustedServer)
                }
                // Its authority is trusted, its name is another one.
                let error = await #expect(throws: HubError.self) {
                    try await schema(server, transport(), host: "127.0.0.2")
                }
                #expect(error?.code == .untrustedServer)
                #expect(error?.message.contains("another name") == true)
                // Its name is right, its key is not the one that is pinned.
                let pinned = await #expect(throws: HubError.self) {
                    try await schema(server, transport(TestCertificates.b.pin))
                }
                #expect(pinned?.code == .untrustedServer)
            }
            #expect(await isAsked.count == 0)
        }

        @Test func `is not asked at all where nothing could be checked`() async throws {
            try await RunningServer.run { server in
                let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
                let hub = HTTPHubConnection(
                    url: url, secret: Sample.secret,
                    transport: try transport(TestCertificates.a.pin))
                let error = await #expect(throws: HubError.self) { try await hub.schema() }
                #expect(error?.code == .configuration)
            }
        }

        @Test func `is taken by its pinned key`() async throws {
            let folder = try CertificateFolder()
            try await RunningServer.run(tls: folder.files) { server in
                let next = TestCertificates.b.pin
                let transport = try transport(TestCertificates.a.pin, next)
                #expect(try await schema(server, transport).hub == "h")
            }
        }

        @Test func `says nothing to plain HTTP`() async throws {
            let folder = try CertificateFolder()
            try await RunningServer.run(tls: folder.files) { server in
                let connection = try server.connect()
                await connection.send(RunningServer.request("GET", "/v1/schema"))
                let answer = await connection.readToEnd()
                #expect(!answer.contains("HTTP/1.1"))
                #expect(try await schema(server, transport()).hub == "h")
            }
        }

        @Test func `shows a renewed certificate, and the old one until both files are there`()
            async throws
        {
            let folder = try CertificateFolder(TestCertificates.a)
            try await RunningServer.run(tls: folder.files, renewal: .milliseconds(20)) { server in
                #expect(try await schema(server, transport(TestCertificates.a.pin)).hub == "h")
                try folder.write(certificate: TestCertificates.b.certificate)
                _ = try await server.log.first(containing: "cannot be renewed")
                #expect(try await schema(server, transport(TestCertificates.a.pin)).hub == "h")
                try folder.write(key: TestCertificates.b.key)
                _ = try await server.log.first(containing: "read again")
                #expect(try await schema(server, transport(TestCertificates.b.pin)).hub == "h")
                await #expect(throws: HubError.self) {
                    try await schema(server, transport(TestCertificates.a.pin))
                }
            }
        }

        @Test func `does not start with files that do not fit`() async throws {
            let folder = try CertificateFolder()
            func failure() async -> HubError? {
                await #expect(throws: HubError.self) {
                    try await RunningServer.run(tls: folder.files) { _ in }
                }
            }
            try folder.write(key: TestCertificates.b.key)
            #expect(await failure()?.message.contains("it is not the key of") == true)
            try folder.write(key: "-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----")
            let error = await failure()
            #expect(error?.code == .configuration)
            #expect(error?.message.contains("no private key") == true)
            #expect(error?.message.contains("secret") == false)
            try folder.write(key: TestCertificates.a.key)
            try folder.write(certificate: TestCertificates.a.key)
            #expect(await failure()?.message.contains("no certificate") == true)
            try folder.write(certificate: "")
            #expect(await failure()?.message.contains("empty") == true)
            try folder.write(certificate: TestCertificates.a.certificate)
            var files = folder.files
            files.key = "/nowhere/key.pem"
            let missing = await #expect(throws: HubError.self) {
                try await RunningServer.run(tls: files) { _ in }
            }
            #expect(missing?.message.contains("/nowhere/key.pem") == true)
        }

        @Test func `keeps a replica the same, in small pages`() async throws {
            let central = try SQLiteDatabase()
            try central.execute(
                """
                CREATE TABLE orders(id INTEGER PRIMARY KEY, note TEXT);
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                INSERT INTO orders SELECT i, 'note ' || i FROM n;
                """)
            let hub = Hub(database: central)
            _ = try await hub.attach()
            let folder = try CertificateFolder()
            try await RunningServer.run(hub, tls: folder.files) { server in
                let connection = HTTPHubConnection(
                    url: try url(server), secret: Sample.secret, transport: try transport())
                let file = try DatabaseQueue()
                var options = ReplicaOptions()
                options.pageLimits = PageLimits(maximumRows: 10, maximumPages: 4)
                let replica = try await Replica.clone(
                    into: file, from: .direct(connection), tables: ["orders"], options: options)
                try await file.write {
                    try $0.execute(sql: "UPDATE orders SET note = 'A' WHERE id <= 100")
                }
                #expect(try await replica.sync().changesPushed == 100)
                #expect(try await replica.verify().isEmpty)
            }
        }

        @Test func `asks the hub for no more than the client takes`() async throws {
            let asked = Counter()
            let ended = Gate()
            let hub = ScriptedHub.endless(asked, ended)
            let folder = try CertificateFolder()
            // Long enough for a handshake beside other tests; the test waits it out once.
            let limits = HubServer.Limits(idleTimeout: .seconds(5))
            try await RunningServer.run(hub, limits: limits, tls: folder.files) { server in
                // It takes the head and nothing of the body.
                let answer = try await transport().send(
                    HTTPTransportRequest(
                        method: "POST", url: try url(server).appending(path: "v1/exchange"),
                        headers: [("Authorization", "Bearer \(Sample.secret)")],
                        body: Sample.request.encoded()))
                #expect(answer.status == 200)
                await ended.wait()
                withExtendedLifetime(answer) {}
            }
            #expect(await asked.count < 100)
        }
    }
#endif
