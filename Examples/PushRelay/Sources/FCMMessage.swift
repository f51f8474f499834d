#if Server
    import Foundation

    /// A message as FCM wants it. One of news has data alone, so that the system shows nothing.
    struct FCMMessage: Encodable {
        private struct Android: Encodable {
            struct Notification: Encodable { let tag: String }

            let priority: String
            let collapseKey: String
            let notification: Notification?

            enum CodingKeys: String, CodingKey {
                case priority, notification
                case collapseKey = "collapse_key"
            }
        }

        private let token: String
        private let data: [String: String]
        private let notification: PushText?
        private let android: Android

        init(_ push: Push, to token: String) {
            self.token = token
            data = ["moorage": push.name]
            switch push {
            case .news:
                notification = nil
                android = Android(
                    priority: "NORMAL", collapseKey: push.name, notification: nil)
            case .refused(let text):
                notification = text
                android = Android(
                    priority: "HIGH", collapseKey: push.name, notification: .init(tag: push.name))
            }
        }
    }

    /// The code in an answer of FCM's that is an error.
    enum FCMErrorCode {
        private struct Body: Decodable {
            struct Failure: Decodable { let details: [Detail]? }
            struct Detail: Decodable { let errorCode: String? }

            let error: Failure
        }

        /// - Returns: `nil` for an answer without one, of which only the status counts.
        static func read(_ body: [UInt8]) -> String? {
            let body = try? JSONDecoder().decode(Body.self, from: Data(body))
            return body?.error.details?.compactMap(\.errorCode).first
        }
    }
#endif
