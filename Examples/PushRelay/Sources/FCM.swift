#if Server
    import AsyncHTTPClient
    import Foundation
    import JWTKit
    import NIOCore
    import NIOHTTP1

    /// Google's service for Android, by its HTTP v1 API.
    struct FCM: PushService {
        let name = "FCM"
        private let settings: Settings
        private let access: FCMAccess

        init(_ settings: Settings) async {
            self.settings = settings
            access = await FCMAccess(settings.account, key: settings.key)
        }

        func authorization(_ client: PushClient, by deadline: NIODeadline) async throws -> String {
            "Bearer \(try await access.token(client, by: deadline))"
        }

        func request(
            _ push: Push, to token: String, authorization: String
        ) throws -> HTTPClientRequest {
            let project = settings.account.project
            var request = HTTPClientRequest(
                url: "\(settings.url)/v1/projects/\(project)/messages:send")
            request.method = .POST
            request.headers.add(name: "Authorization", value: authorization)
            request.headers.add(name: "Content-Type", value: "application/json")
            let message = FCMMessage(push, to: token)
            request.body = .bytes(try JSONEncoder().encode(["message": message]))
            return request
        }

        func outcome(of answer: PushAnswer) async -> DeliveryOutcome {
            let code = FCMErrorCode.read(answer.body)
            let reason = answer.reason(code)
            switch (answer.status, code) {
            case (200, _): return .sent
            case (404, "UNREGISTERED"): return .gone
            // These two are about one device, with a status that is otherwise about the account.
            case (_, "SENDER_ID_MISMATCH"), (_, "THIRD_PARTY_AUTH_ERROR"):
                return .rejected(reason)
            case (401, _):
                await access.forget()
                return .later("\(reason): check FCM_ACCOUNT_FILE")
            // The account may not send, or there is no such project.
            case (403, _), (404, _): return .later("\(reason): check FCM_ACCOUNT_FILE")
            case (429, _), (500..., _): return .busy(reason)
            default: return .rejected(reason)
            }
        }
    }
#endif
