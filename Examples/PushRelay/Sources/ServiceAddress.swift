#if Server
    import Foundation

    /// Addresses that may get push tokens and keys.
    enum ServiceAddress {
        private static let loopback: Set = ["127.0.0.1", "localhost", "::1", "[::1]"]

        /// Whether an address is `https`, or `http` on this machine, without user, query and
        /// fragment.
        static func isSafe(_ text: String) -> Bool {
            guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
                parts.user == nil, parts.password == nil, parts.query == nil,
                parts.fragment == nil
            else { return false }
            return parts.scheme == "https"
                || parts.scheme == "http" && loopback.contains(host)
        }
    }
#endif
