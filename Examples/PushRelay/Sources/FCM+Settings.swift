#if Server
    import Foundation
    import JWTKit

    extension FCM {
        /// What FCM wants to know. It contains a secret, so do not print it.
        struct Settings: Sendable {
            let account: ServiceAccount
            let key: Insecure.RSA.PrivateKey
            /// The service's address, without a slash at its end.
            let url: String

            /// - Returns: `nil` if no account is named.
            init?(_ variables: EnvironmentReading) throws(SettingsError) {
                guard variables.text("FCM_ACCOUNT_FILE") != nil else { return nil }
                let text = try variables.file("FCM_ACCOUNT_FILE", "a service account's key")
                url = try variables.address("FCM_URL", default: "https://fcm.googleapis.com")
                do {
                    account = try JSONDecoder().decode(
                        ServiceAccount.self, from: Data(text.utf8))
                    key = try Insecure.RSA.PrivateKey(pem: account.privateKey)
                } catch {
                    // The library's message may quote the key.
                    throw SettingsError(
                        variable: "FCM_ACCOUNT_FILE",
                        advice: "Name the service account's JSON file as Google gave it.")
                }
                guard account.isWellFormed else {
                    throw SettingsError(
                        variable: "FCM_ACCOUNT_FILE",
                        advice: "Name a file whose `project_id` and `token_uri` are Google's.")
                }
            }
        }
    }

    /// The file that Google gives for a service account.
    struct ServiceAccount: Decodable, Sendable {
        let project: String
        let email: String
        let keyID: String
        let privateKey: String
        let tokenURL: String

        enum CodingKeys: String, CodingKey {
            case project = "project_id"
            case email = "client_email"
            case keyID = "private_key_id"
            case privateKey = "private_key"
            case tokenURL = "token_uri"
        }

        /// Whether the project may be part of an address, and whether the key is safe on the way.
        fileprivate var isWellFormed: Bool {
            !project.isEmpty && ServiceAddress.isSafe(tokenURL)
                && project.utf8.allSatisfy { byte in
                    byte.isASCIILetter || byte.isASCIIDigit || "-.:".utf8.contains(byte)
                }
        }
    }
#endif
