#if Server
    public import MoorageHub
    public import MoorageWire

    /// Where a server reports what happens at its hub, and what it reports.
    public struct Webhook: Hashable, Sendable {
        /// The fewest bytes of a secret.
        public static let minimumSecretBytes = 32

        /// The address: `https`, or `http` on this machine.
        public let url: String
        /// What the receiver checks signatures with.
        let secret: String
        /// What is reported; all by default.
        public var kinds = Set(HubNotice.Kind.allCases)
        /// How many requests there are in a minute, at most. Each has up to 100 notices.
        public var requestsPerMinute = 60
        /// A replica that is away is reported once in this time, at most.
        public var newsInterval: Duration = .seconds(60)

        /// - Throws: ``HubError`` `configuration` unless the address is `https`, or of this machine,
        ///   and has no password; and for a short secret.
        public init(url: String, secret: String) throws(HubError) {
            guard SafeAddress.isSafe(url) else { throw HubError.unsafeWebhook }
            guard secret.utf8.count >= Self.minimumSecretBytes else {
                throw HubError.webhookSecretTooShort(
                    secret.utf8.count, minimum: Self.minimumSecretBytes)
            }
            self.url = url
            self.secret = secret
        }
    }

    /// Logs of services print what they run. An address may contain a secret, too.
    extension Webhook: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        public var description: String { "<webhook>" }
        public var debugDescription: String { "<webhook>" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
