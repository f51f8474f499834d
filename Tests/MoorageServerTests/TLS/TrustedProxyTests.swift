#if Server
    import Foundation
    import Hummingbird
    import Moorage
    import MoorageWire
    import NIOCore
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `A server behind proxies` {
        @Test func `takes what came to its proxy over https, and nothing else`() async throws {
            let proxies = [try AddressRange("127.0.0.1")]
            try await RunningServer.run(trustedProxies: proxies) { server in
                for (fields, status) in [
                    (["X-Forwarded-Proto: https"], 200), (["x-forwarded-proto: HTTPS"], 200),
                    ([], 403), (["X-Forwarded-Proto: http"], 403),
                    (["X-Forwarded-Proto: http", "X-Forwarded-Proto: https"], 403),
                    (["X-Forwarded-Proto: http, https"], 403), (["X-Forwarded-Proto: "], 403),
                ] {
                    let answer = try await server.ask(
                        "GET", "/v1/schema", fields: fields + ["Connection: close"])
                    #expect(answer.status == status, "\(fields)")
                    guard status != 200 else { continue }
                    let error = try HubError(decoding: Array(answer.body.utf8))
                    #expect(error.code == .malformed)
                }
                // The proxy's own question how it is.
                #expect(try await server.ask("GET", "/health", secret: nil).status == 200)
            }
        }

        @Test func `lets this machine in besides them`() async throws {
            let proxies = [try AddressRange("10.0.0.0/8")]
            try await RunningServer.run(trustedProxies: proxies) { server in
                let answer = try await server.ask("GET", "/v1/schema")
                #expect(answer.status == 200)
            }
        }

        @Test(arguments: [
            ("10.1.2.3", true), ("11.0.0.1", false), ("192.168.7.9", true),
            ("192.168.7.10", false), ("fd12:3456::1", true), ("fe80::1", false),
            ("127.0.0.9", true), ("::1", true), ("::ffff:10.0.0.1", true),
            ("::ffff:11.0.0.1", false),
        ])
        func `lets nobody past them`(address: String, mayConnect: Bool) throws {
            let ranges = ["10.0.0.0/8", "192.168.7.9", "fd00::/8"].map { try? AddressRange($0) }
            let proxies = TrustedProxies(ranges: ranges.compactMap { $0 })
            let socket = try SocketAddress(ipAddress: address, port: 1)
            #expect(proxies.mayConnect(socket) == mayConnect)
            #expect(TrustedProxies(ranges: []).mayConnect(socket))
        }

        @Test func `believes nobody else's header`() throws {
            let proxies = TrustedProxies(ranges: [try AddressRange("10.0.0.1")])
            let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
            let own = try SocketAddress(ipAddress: "127.0.0.1", port: 1)
            var fields = HTTPFields()
            #expect(!proxies.isGuarded(fields, from: proxy))
            #expect(proxies.isGuarded(fields, from: own))
            // It was closed meanwhile.
            #expect(!proxies.isGuarded(fields, from: nil))
            #expect(TrustedProxies(ranges: []).isGuarded(fields, from: nil))
            let name = try #require(HTTPFields.Element.Name("X-Forwarded-Proto"))
            fields[name] = "https"
            #expect(proxies.isGuarded(fields, from: proxy))
        }

        @Test(arguments: [
            "", "10.0.0", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/+8",
            "10.0.0.0/8/8", "0.0.0.0/0", "::/0", "host", "fd00::/129", "fd00::1/8", "10.0.0.256",
            " 10.0.0.1",
        ])
        func `takes no range that means another one`(text: String) {
            #expect(throws: HubError.self) { try AddressRange(text) }
        }

        @Test func `may listen off the loopback`() throws {
            var configuration = HubServer.Configuration(
                listen: ListenAddress(host: "0.0.0.0", port: 0),
                secret: try SharedSecret(Sample.secret))
            #expect(throws: HubError.self) { try configuration.validate() }
            configuration.trustedProxies = [try AddressRange("10.0.0.1")]
            try configuration.validate()
            configuration.trustedProxies = []
            configuration.tls = TLSFiles(certificate: "a", key: "b")
            try configuration.validate()
        }
    }

    @Suite(.ownThreads) struct `A pinned key` {
        @Test(arguments: [
            "", "sha256/", "sha256/AAAA", "sha1/AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "sha256/not base64",
        ])
        func `is the base64 of a SHA-256`(text: String) {
            #expect(throws: HubError.self) { try KeyPin(text) }
        }

        @Test func `is written in two ways`() throws {
            let base64 = TestCertificates.a.pin.dropFirst("sha256/".count)
            #expect(try KeyPin("sha256/\(base64)") == KeyPin("sha256//\(base64)"))
        }
    }
#endif
