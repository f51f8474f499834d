#if Server
    import Foundation
    import JWTKit
    import Testing

    @testable import MoorageServer

    /// Checks what a relay signs, as the services do.
    enum PushChecks {
        private struct ProviderClaims: JWTPayload {
            let iss: String
            /// Seconds since 1970.
            let iat: Double

            func verify(using algorithm: some JWTAlgorithm) {}
        }

        private struct AssertionClaims: JWTPayload {
            let iss: String
            let scope: String
            let iat: Double
            let exp: Double

            func verify(using algorithm: some JWTAlgorithm) {}
        }

        /// - Parameter authorization: The header of a request to APNs.
        static func checkProviderToken(_ authorization: String) async throws {
            let keys = JWTKeyCollection()
            await keys.add(ecdsa: try ES256PublicKey(pem: TestKeys.ecPublic), kid: "KEY1")
            let token = authorization.dropFirst("bearer ".count)
            #expect(authorization.hasPrefix("bearer "))
            let claims = try await keys.verify(String(token), as: ProviderClaims.self)
            #expect(claims.iss == "TEAM1")
            #expect(abs(Date().timeIntervalSince1970 - claims.iat) < 300)
        }

        /// - Parameter form: The body of a request for an access token.
        static func checkAssertion(_ form: String) async throws {
            let keys = JWTKeyCollection()
            await keys.add(
                rsa: try Insecure.RSA.PublicKey(pem: TestKeys.rsaPublic), digestAlgorithm: .sha256,
                kid: "rsa-1")
            let parts = form.split(separator: "&assertion=")
            #expect(
                parts.first == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer")
            let token = try #require(parts.last)
            let claims = try await keys.verify(String(token), as: AssertionClaims.self)
            #expect(claims.iss == "relay@shop-1.example" && claims.exp == claims.iat + 3_600)
            #expect(claims.scope == "https://www.googleapis.com/auth/firebase.messaging")
        }
    }

    /// What a relay sends to APNs.
    struct APNsSent: Decodable {
        struct APS: Decodable { let alert: [String: String]? }
        let aps: APS

        init(_ text: String) throws {
            self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        }
    }

    /// What a relay sends to FCM.
    struct FCMSent: Decodable {
        struct Message: Decodable {
            let data: [String: String]
            let notification: [String: String]?
            let android: Android
        }
        struct Android: Decodable { let priority: String }
        let message: Message

        init(_ text: String) throws {
            self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
        }
    }
#endif
