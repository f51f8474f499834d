/// The hosts that only programs on this machine reach.
package enum Loopback {
    /// - Parameter host: A name or an address; an IPv6 address with or without its brackets.
    package static func contains(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy(isByte)
    }

    private static func isByte(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt8(text) != nil
    }
}
