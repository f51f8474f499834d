#if Server
    /// How a token is signed. No others are taken, `none` least of all.
    public enum TokenAlgorithm: String, CaseIterable, Hashable, Sendable {
        /// HMAC with SHA-256, and a secret of at least 32 bytes that issuer and server know.
        case hs256 = "HS256"
        /// RSA (PKCS #1 v1.5) with SHA-256, and a key of at least 2,048 bits.
        case rs256 = "RS256"
        /// ECDSA on the curve P-256 with SHA-256.
        case es256 = "ES256"
        /// EdDSA on the curve Ed25519.
        case edDSA = "EdDSA"
    }
#endif
