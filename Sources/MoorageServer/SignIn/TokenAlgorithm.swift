#if Server
    /// How a token is signed. No others are taken, `none` least of all.
    public enum TokenAlgorithm: String, CaseIterable, Hashable, Sendable {
        case hs256 = "HS256"
        case rs256 = "RS256"
        case es256 = "ES256"
        case edDSA = "EdDSA"
    }
#endif
