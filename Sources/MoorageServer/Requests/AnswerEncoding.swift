#if Server
    import Hummingbird
    import MoorageWire

    /// How an answer goes out, as its request asked for it.
    struct AnswerEncoding {
        /// A small answer is not worth the memory that compressing takes.
        static let packedFrom = 1_024

        let wire: WireEncoding
        let acceptsGzip: Bool

        init(_ fields: HTTPFields) {
            wire =
                Self.accepts(WireEncoding.blocks.answerType, fields[values: .accept])
                ? .blocks : .json
            acceptsGzip = Self.accepts(Compression.name, fields[values: .acceptEncoding])
        }

        /// Whether a field names what it is asked for, and not with a weight of 0. Wildcards do not count:
        /// who knows blocks says so.
        private static func accepts(_ name: String, _ values: [String]) -> Bool {
            values.flatMap { $0.split(separator: ",") }.contains { element in
                let parts = element.split(separator: ";").map {
                    $0.filter { $0 != " " && $0 != "\t" }.lowercased()
                }
                guard parts.first == name else { return false }
                return !parts.dropFirst().contains { part in
                    part.hasPrefix("q=") && Double(part.dropFirst(2)) == 0
                }
            }
        }
    }
#endif
