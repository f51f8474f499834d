#if Server
    import MoorageSupport
    public import MoorageWire

    /// Where the server listens: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
    public struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
        /// A host name or IP address; an IPv6 address has no brackets here.
        public let host: String
        /// 0 takes a free one.
        public let port: Int

        /// - Parameters:
        ///   - host: As in ``host``.
        ///   - port: 0 to 65,535.
        public init(host: String, port: Int) {
            self.host = host
            self.port = port
        }

        /// Reads host and port from a text. An IPv6 address must be in brackets.
        ///
        /// - Throws: ``HubError`` `configuration` for a text of another form.
        public init(_ text: String) throws(HubError) {
            guard let colon = text.lastIndex(of: ":") else { throw HubError.notListenAddress }
            var host = String(text[..<colon])
            if host.hasPrefix("["), host.hasSuffix("]") {
                host = String(host.dropFirst().dropLast())
            } else if host.contains(":") {
                throw HubError.notListenAddress
            }
            let digits = text[text.index(after: colon)...]
            guard !host.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = UInt16(digits)
            else { throw HubError.notListenAddress }
            self.init(host: host, port: Int(port))
        }

        /// Whether only programs on this machine reach it.
        public var isLoopback: Bool { Loopback.contains(host) }

        public var description: String {
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        }
    }
#endif
