#if Server
    import JWTKit

    extension APNs {
        /// What APNs wants to know. It contains a secret, so do not print it.
        struct Settings: Sendable {
            let key: ES256PrivateKey
            let keyID: String
            let team: String
            /// The app's bundle id.
            let topic: String
            /// The service's address, without a slash at its end.
            let url: String

            /// - Returns: `nil` if no variable of APNs is set.
            init?(_ variables: EnvironmentReading) throws(SettingsError) {
                let names = ["APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC"]
                guard names.contains(where: { variables.text($0) != nil }) else { return nil }
                let pem = try variables.file("APNS_KEY_FILE", "the key of APNs, a .p8 file")
                keyID = try variables.required("APNS_KEY_ID", "the key's id")
                team = try variables.required("APNS_TEAM_ID", "the id of the developer's team")
                topic = try variables.required("APNS_TOPIC", "the app's bundle id")
                url = try variables.address("APNS_URL", default: "https://api.push.apple.com")
                do {
                    key = try ES256PrivateKey(pem: pem)
                } catch {
                    // The library's message may quote the key.
                    throw SettingsError(
                        variable: "APNS_KEY_FILE",
                        advice: "Name the .p8 file as Apple gave it: it has a PEM private key.")
                }
            }
        }
    }
#endif
