#if Server
    /// What no rule for tokens may go beyond.
    public enum TokenLimits {
        /// How far an issuer's clock may be off.
        public static let maximumLeeway = Duration.seconds(300)
        /// The longest token; those of issuers have one or two thousand bytes.
        public static let maximumBytes = 8_192
        /// Fewer bytes than the hash has could be guessed (RFC 7518, 3.2).
        public static let minimumSecretBytes = 32
    }
#endif
