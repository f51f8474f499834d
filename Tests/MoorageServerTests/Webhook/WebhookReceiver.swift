#if Server
    import Crypto
    import Foundation
    import Hummingbird
    import HummingbirdCore
    import MoorageSupport
    import NIOCore

    /// A program of the owner's that takes what a webhook sends.
    final class WebhookReceiver: Sendable {
        struct Event: Decodable, Hashable {
            var id: String
            var type: String
            var replica: String
            var user: String?
            var table: String?
            var code: String?
            var rule: String?
            var at: Int64?
        }
        private struct Body: Decodable { var events: [Event] }

        private struct State {
            var isRefusing = false
            var events: [Event] = []
            var requests = 0
            var badSignatures = 0
        }
        private let state = Locked(State())
        private let secret: String

        init(secret: String) { self.secret = secret }

        var events: [Event] { state.withLock { $0.events } }
        var requestCount: Int { state.withLock { $0.requests } }
        var badSignatureCount: Int { state.withLock { $0.badSignatures } }

        /// Whether it answers with an error from now on, and does not keep the events.
        func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

        /// Listens on a free port for as long as the test runs.
        func run(_ test: @Sendable (_ url: String) async throws -> Void) async throws {
            let router = Router()
            router.post("/hook") { [self] request, _ -> HTTPResponse.Status in
                let bytes = try await request.body.collect(upTo: 1_000_000)
                let name = HTTPFields.Element.Name("Moorage-Signature")!
                return receive(
                    Data(bytes.readableBytesView), request.headers[name] ?? "")
            }
            try await LocalServer.run(router) { try await test("\($0)/hook") }
        }

        private func receive(_ body: Data, _ signature: String) -> HTTPResponse.Status {
            state.withLock { state in
                state.requests += 1
                guard isSigned(body, signature),
                    let events = try? JSONDecoder().decode(Body.self, from: body).events
                else {
                    state.badSignatures += 1
                    return .unauthorized
                }
                if state.isRefusing { return .internalServerError }
                state.events += events
                return .noContent
            }
        }

        /// Checks a signature as the guide says.
        private func isSigned(_ body: Data, _ signature: String) -> Bool {
            let parts = signature.split(separator: ",").map { $0.split(separator: "=") }
            guard parts.count == 2, parts[0].count == 2, parts[1].count == 2,
                let seconds = Int64(parts[0][1]),
                abs(Date().timeIntervalSince1970 - Double(seconds)) < 300
            else { return false }
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(seconds).".utf8) + body,
                using: SymmetricKey(data: Data(secret.utf8)))
            return code.map { String(format: "%02x", $0) }.joined() == parts[1][1]
        }
    }
#endif
