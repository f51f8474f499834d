#if Server
    import AsyncHTTPClient
    import Foundation
    import JWTKit
    import NIOCore
    import NIOHTTP1

    /// Apple's service, with a key of the developer's account.
    struct APNs: PushService {
        /// Apple refuses a token that is older than an hour.
        private static let tokenLife = Duration.seconds(40 * 60)
        /// Apple refuses another token before.
        private static let shortestLife = Duration.seconds(20 * 60)

        let name = "APNs"
        private let settings: Settings
        private let keys = JWTKeyCollection()
        private let token: CachedToken

        /// - Parameter token: One with another clock, for tests.
        init(_ settings: Settings, token: CachedToken = CachedToken()) async {
            self.settings = settings
            self.token = token
            await keys.add(ecdsa: settings.key, kid: JWKIdentifier(string: settings.keyID))
        }

        func authorization(_ client: PushClient, by deadline: NIODeadline) async throws -> String {
            let text = try await token.value { [keys, settings] in
                let claims = Claims(
                    iss: settings.team, iat: Int(Date().timeIntervalSince1970))
                let signed = try await keys.sign(
                    claims, kid: JWKIdentifier(string: settings.keyID))
                return CachedToken.Made(text: signed, life: Self.tokenLife)
            }
            return "bearer \(text)"
        }

        func request(
            _ push: Push, to token: String, authorization: String
        ) throws -> HTTPClientRequest {
            var request = HTTPClientRequest(url: "\(settings.url)/3/device/\(token)")
            request.method = .POST
            request.headers.add(name: "authorization", value: authorization)
            request.headers.add(name: "apns-topic", value: settings.topic)
            request.headers.add(name: "apns-collapse-id", value: push.name)
            let payload: Payload
            switch push {
            case .news:
                request.headers.add(name: "apns-push-type", value: "background")
                request.headers.add(name: "apns-priority", value: "5")
                payload = Payload(contentAvailable: 1)
            case .refused(let text):
                request.headers.add(name: "apns-push-type", value: "alert")
                request.headers.add(name: "apns-priority", value: "10")
                payload = Payload(alert: text)
            }
            request.body = .bytes(try JSONEncoder().encode(["aps": payload]))
            return request
        }

        func outcome(of answer: PushAnswer) async -> DeliveryOutcome {
            struct Body: Decodable { let reason: String? }
            // Without a reason the status says enough.
            let body = try? JSONDecoder().decode(Body.self, from: Data(answer.body))
            let reason = answer.reason(body?.reason)
            switch (answer.status, body?.reason) {
            case (200, _): return .sent
            case (410, _): return .gone
            case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"):
                return .later("\(reason): check APNS_TOPIC")
            // Either the topic is wrong, or one device has another app.
            case (400, "DeviceTokenNotForTopic"): return .busy("\(reason): check APNS_TOPIC")
            case (403, _):
                await token.forget(after: Self.shortestLife)
                return .later("\(reason): check APNS_KEY_FILE, APNS_KEY_ID and APNS_TEAM_ID")
            case (429, _), (500..., _): return .busy(reason)
            default: return .rejected(reason)
            }
        }

        private struct Payload: Encodable {
            var contentAvailable: Int?
            var alert: PushText?

            enum CodingKeys: String, CodingKey {
                case contentAvailable = "content-available"
                case alert
            }
        }

        private struct Claims: JWTPayload {
            let iss: String
            let iat: Int

            // Only Apple checks it.
            func verify(using algorithm: some JWTAlgorithm) {}
        }
    }
#endif
