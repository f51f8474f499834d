#if Server
    /// What the relay reads from its environment. It contains secrets, so it prints as nothing else
    /// than its name.
    struct RelaySettings: Sendable {
        /// Where the relay listens.
        let host: String
        /// 0 takes a free one.
        let port: Int
        /// The webhook's secret, as in `moorage.yaml`.
        let webhookSecret: String
        /// What the app signs in with when it registers a push token.
        let appSecret: String
        /// The path of the file with the push tokens.
        let tokenFile: String
        /// What a user reads when the hub refused a change.
        let refusal: PushText
        /// `nil` if the relay does not send by APNs.
        let apns: APNs.Settings?
        /// `nil` if the relay does not send by FCM.
        let fcm: FCM.Settings?

        /// - Throws: For the first variable that is missing or wrong, and if there is no service.
        init(environment: [String: String]) throws(SettingsError) {
            let variables = EnvironmentReading(environment)
            host = variables.text("PUSH_HOST") ?? "127.0.0.1"
            port = try variables.port("PUSH_PORT") ?? 8_090
            webhookSecret = try variables.secret("WEBHOOK_SECRET")
            appSecret = try variables.secret("PUSH_APP_SECRET")
            tokenFile = variables.text("PUSH_TOKEN_FILE") ?? "push-tokens.json"
            refusal = PushText(
                title: variables.text("PUSH_REFUSED_TITLE") ?? "A change was not accepted",
                body: variables.text("PUSH_REFUSED_TEXT") ?? "Open the app to see why.")
            apns = try APNs.Settings(variables)
            fcm = try FCM.Settings(variables)
            guard apns != nil || fcm != nil else {
                throw SettingsError(
                    variable: "APNS_KEY_FILE or FCM_ACCOUNT_FILE",
                    advice: "Set at least one: the relay has no service to send by.")
            }
        }
    }

    /// A service group logs what it runs, with all that is in it.
    extension RelaySettings: CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        var description: String { "<settings>" }
        var debugDescription: String { "<settings>" }
        var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
