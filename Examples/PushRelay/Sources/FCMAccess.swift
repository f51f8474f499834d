#if Server
    import AsyncHTTPClient
    import Foundation
    import JWTKit
    import NIOCore
    import NIOHTTP1

    /// Gets access tokens for a service account, and keeps each until a minute before its end.
    struct FCMAccess: Sendable {
        private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
        /// In seconds.
        private static let margin = 60

        private let account: ServiceAccount
        private let keys = JWTKeyCollection()
        private let cache = CachedToken()

        init(_ account: ServiceAccount, key: Insecure.RSA.PrivateKey) async {
            self.account = account
            await keys.add(
                rsa: key, digestAlgorithm: .sha256, kid: JWKIdentifier(string: account.keyID))
        }

        func token(_ client: PushClient, by deadline: NIODeadline) async throws -> String {
            try await cache.value { [self] in
                let answer = try await client.answer(
                    to: try await request(), by: deadline, readsBody: true)
                guard answer.status == 200 else {
                    throw PushFailure(
                        description: "status \(answer.status) in place of an access token")
                }
                let grant = try JSONDecoder().decode(Grant.self, from: Data(answer.body))
                // The number is the service's, and a day is longer than any token lives.
                let seconds = min(max(grant.life, Self.margin), 86_400) - Self.margin
                return CachedToken.Made(text: grant.token, life: .seconds(seconds))
            }
        }

        /// The service does not accept the last one.
        func forget() async { await cache.forget() }

        private func request() async throws -> HTTPClientRequest {
            let now = Int(Date().timeIntervalSince1970)
            let claims = Claims(
                iss: account.email, scope: Self.scope, aud: account.tokenURL, iat: now,
                exp: now + 3_600)
            let signed = try await keys.sign(claims, kid: JWKIdentifier(string: account.keyID))
            var request = HTTPClientRequest(url: account.tokenURL)
            request.method = .POST
            request.headers.add(
                name: "Content-Type", value: "application/x-www-form-urlencoded")
            let grantType = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
            request.body = .bytes(Data("grant_type=\(grantType)&assertion=\(signed)".utf8))
            return request
        }

        private struct Grant: Decodable {
            let token: String
            /// In seconds.
            let life: Int

            enum CodingKeys: String, CodingKey {
                case token = "access_token"
                case life = "expires_in"
            }
        }

        private struct Claims: JWTPayload {
            let iss: String
            let scope: String
            let aud: String
            let iat: Int
            let exp: Int

            // Only Google checks it.
            func verify(using algorithm: some JWTAlgorithm) {}
        }
    }
#endif
