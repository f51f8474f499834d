#if Server
    import MoorageCore
    public import MoorageWire

    /// What replicas show to be let in: `Authorization: Bearer <secret>`.
    ///
    /// It prints as `<secret>`, so that it cannot slip into a log.
    public struct SharedSecret: Sendable {
        /// Fewer bytes could be guessed.
        public static let minimumBytes = 16

        private let bytes: [UInt8]

        /// - Throws: ``HubError`` `configuration` for a secret that is too short, or that no HTTP
        ///   header can carry.
        public init(_ text: String) throws(HubError) {
            let bytes = Array(text.utf8)
            guard bytes.count >= Self.minimumBytes else {
                throw HubError.secretTooShort(bytes.count, minimum: Self.minimumBytes)
            }
            guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw HubError.secretNotForHeader
            }
            self.bytes = bytes
        }

        /// Whether it is a user's token (JWT), which somebody took for a secret.
        var isToken: Bool {
            let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            guard parts.count == 3,
                let header = Base64.decode(urlSafe: String(decoding: parts[0], as: UTF8.self)),
                let json = try? JSON(parsing: header)
            else { return false }
            return json["alg"] != nil
        }

        func isSame(as other: SharedSecret) -> Bool { bytes == other.bytes }

        /// Whether this is the secret; takes as long for a wrong one as for the right one.
        public func matches(_ candidate: some StringProtocol) -> Bool {
            let presented = Array(candidate.utf8)
            var difference = presented.count ^ bytes.count
            for index in bytes.indices {
                let byte = presented.isEmpty ? 0 : presented[index % presented.count]
                difference |= Int(byte ^ bytes[index])
            }
            return difference == 0
        }
    }

    extension SharedSecret: CustomStringConvertible, CustomDebugStringConvertible,
        CustomReflectable
    {
        public var description: String { "<secret>" }
        public var debugDescription: String { "<secret>" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
#endif
