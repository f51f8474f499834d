#if Server
    import Foundation

    /// Where a device gets its push notifications, as its app registered it.
    struct PushToken: Codable, Hashable, Sendable {
        enum Service: String, Codable, CaseIterable, Sendable {
            case apns, fcm
        }

        let service: Service
        let token: String

        /// Whether it has the form that its service gives tokens. One of APNs becomes a part of an
        /// address.
        var isWellFormed: Bool {
            switch service {
            case .apns:
                (1...200).contains(token.utf8.count)
                    && token.utf8.allSatisfy(\.isHexDigit)
            case .fcm:
                (1...4_096).contains(token.utf8.count)
                    && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            }
        }

        /// - Parameter body: `{"service":"apns","token":"80fa…"}`.
        /// - Returns: `nil` for a body of another form.
        static func read(_ body: Data) -> PushToken? {
            do {
                let token = try JSONDecoder().decode(PushToken.self, from: body)
                return token.isWellFormed ? token : nil
            } catch {
                // The error would quote the token.
                return nil
            }
        }
    }
#endif
