#if Server
    public import MoorageHub

    /// A long-lived key of one of the owner's programs: `Authorization: Bearer <key>`.
    public struct APIKey: Sendable {
        /// Its name in settings and logs.
        public let name: String
        /// The user that the key identifies.
        public let principal: Principal
        let key: SharedSecret
        static let subjectPrefix = "apiKey:"

        /// - Parameters:
        ///   - subject: The user that the program signs in as; without it, the key's own user,
        ///     which no token can name.
        public init(
            name: String, key: SharedSecret, subject: String? = nil,
            claims: [String: [String]] = [:]
        ) {
            self.name = name
            self.key = key
            principal = Principal(subject: subject ?? Self.subjectPrefix + name, claims: claims)
        }

        func matches(_ candidate: some StringProtocol) -> Bool { key.matches(candidate) }
    }
#endif
