#if Server
    import Foundation
    import Hummingbird
    import HummingbirdCore
    import MoorageSupport
    import NIOCore

    /// Takes the place of APNs, of FCM, and of the service that gives FCM's access tokens.
    final class PushServiceDouble: Sendable {
        struct Sent: Sendable {
            let pushToken: String
            /// The names are in lower case.
            let headers: [String: String]
            let body: String
            /// Whether the service took it.
            let isAccepted: Bool
        }

        private struct Answer {
            var status: Int
            var body: String
            var isEndless = false
        }

        private struct State {
            var sent: [Sent] = []
            /// The bodies of requests for an access token.
            var grants: [String] = []
            var grantLife = 3_599
            var answers: [String: Answer] = [:]
        }
        private let state = Locked(State())

        var sent: [Sent] { state.withLock { $0.sent } }
        var grants: [String] { state.withLock { $0.grants } }

        func sent(to pushToken: String) -> [Sent] { sent.filter { $0.pushToken == pushToken } }

        func acceptedCount(_ pushToken: String) -> Int {
            sent(to: pushToken).filter(\.isAccepted).count
        }

        /// What the services answer for this push token from now on; at first 200.
        ///
        /// - Parameter isEndless: Spaces follow the body, until the client gives up.
        func answer(
            _ pushToken: String, _ status: Int, _ body: String = "{}", isEndless: Bool = false
        ) {
            state.withLock {
                $0.answers[pushToken] = Answer(status: status, body: body, isEndless: isEndless)
            }
        }

        /// How many seconds the next access tokens live.
        func setGrantLife(_ seconds: Int) { state.withLock { $0.grantLife = seconds } }

        /// Listens on a free port for as long as the test runs.
        func run(_ test: @Sendable (_ url: String) async throws -> Void) async throws {
            let router = Router()
            router.post("/3/device/:token") { [self] request, context in
                record(
                    try context.parameters.require("token"), request, try await text(request))
            }
            router.post("/v1/projects/shop-1/messages:send") { [self] request, _ in
                struct Body: Decodable {
                    struct Message: Decodable { let token: String }
                    let message: Message
                }
                let text = try await text(request)
                let body = try JSONDecoder().decode(Body.self, from: Data(text.utf8))
                return record(body.message.token, request, text)
            }
            router.post("/token") { [self] request, _ in
                let text = try await text(request)
                let (number, life) = state.withLock { state in
                    state.grants.append(text)
                    return (state.grants.count, state.grantLife)
                }
                let grant = #"{"access_token":"access-\#(number)","expires_in":\#(life)}"#
                return response(Answer(status: 200, body: grant))
            }
            try await LocalServer.run(router, test)
        }

        private func text(_ request: Request) async throws -> String {
            String(buffer: try await request.body.collect(upTo: 100_000))
        }

        private func record(_ pushToken: String, _ request: Request, _ body: String) -> Response {
            let headers = Dictionary(
                request.headers.map { ($0.name.canonicalName, $0.value) },
                uniquingKeysWith: { "\($0), \($1)" })
            let answer = state.withLock { state in
                let answer = state.answers[pushToken] ?? Answer(status: 200, body: "{}")
                state.sent.append(
                    Sent(
                        pushToken: pushToken, headers: headers, body: body,
                        isAccepted: answer.status == 200))
                return answer
            }
            return response(answer)
        }

        private func response(_ answer: Answer) -> Response {
            let body = ByteBuffer(string: answer.body)
            return Response(
                status: HTTPResponse.Status(code: answer.status),
                body: answer.isEndless ? endless(body) : ResponseBody(byteBuffer: body))
        }

        private func endless(_ body: ByteBuffer) -> ResponseBody {
            ResponseBody { writer in
                try await writer.write(body)
                while true {
                    try await Task.sleep(for: .milliseconds(10))
                    try await writer.write(ByteBuffer(string: " "))
                }
            }
        }
    }
#endif
