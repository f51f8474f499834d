#if Server
    public import MoorageWire

    /// The origin of web pages: `https://app.example.com`, `http://localhost:5173`, or `*` for all.
    public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
        /// As a browser writes it in the header `Origin`.
        public let description: String

        /// - Parameter text: A scheme, a host and perhaps a port, without a path; or `*`.
        /// - Throws: ``HubError`` `configuration` for a text of another form.
        public init(_ text: String) throws(HubError) {
            guard text == "*" || Self.isOrigin(text) else { throw HubError.notWebOrigin }
            description = text
        }

        /// Browsers write scheme and host in lower case, and leave out the scheme's usual port.
        private static func isOrigin(_ text: String) -> Bool {
            for (scheme, usual) in [("https://", ":443"), ("http://", ":80")]
            where text.hasPrefix(scheme) {
                let host = text.dropFirst(scheme.count)
                return !host.isEmpty && !host.hasSuffix(usual)
                    && host.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                            UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["),
                            UInt8(ascii: "]"):
                            true
                        default: false
                        }
                    }
            }
            return false
        }
    }
#endif
