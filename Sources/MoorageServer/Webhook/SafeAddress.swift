#if Server
    /// Addresses that the server may send to or read from: `https`, or `http` on this machine, and
    /// without a password.
    enum SafeAddress {
        static func isSafe(_ url: String) -> Bool { isEncrypted(url) || isLoopback(url) }

        private static func isEncrypted(_ url: String) -> Bool {
            guard url.hasPrefix("https://") else { return false }
            let host = url.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" }
            return !host.isEmpty && !host.contains("@") && !host.hasPrefix(":")
        }

        private static func isLoopback(_ url: String) -> Bool {
            guard url.hasPrefix("http://") else { return false }
            let rest = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
            guard !rest.contains("@") else { return false }
            let address = rest.last == "]" || !rest.contains(":") ? "\(rest):80" : String(rest)
            return (try? ListenAddress(address))?.isLoopback ?? false
        }
    }
#endif
