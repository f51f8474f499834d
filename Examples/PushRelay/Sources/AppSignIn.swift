#if Server
    import Crypto
    import Foundation

    /// Who may register a push token. Replace it by the sign-in of your app.
    ///
    /// Here every copy of the app has the same secret. So each of its users may register a token
    /// for any replica whose id they know.
    struct AppSignIn: Sendable {
        private let expected: SHA256.Digest

        init(secret: String) { expected = SHA256.hash(data: Data("Bearer \(secret)".utf8)) }

        /// How long it takes does not depend on how much of the secret is right.
        ///
        /// - Parameter authorization: The header `Authorization`.
        func allows(_ authorization: String?) -> Bool {
            guard let authorization else { return false }
            return SHA256.hash(data: Data(authorization.utf8)) == expected
        }
    }
#endif
