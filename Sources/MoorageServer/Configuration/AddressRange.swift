#if Server
    import Foundation
    public import MoorageWire

    /// Addresses of machines: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8`.
    public struct AddressRange: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        private let address: [UInt8]
        private let bits: Int

        /// - Throws: ``HubError`` `configuration` for what is no address, or has bits beyond its length.
        public init(_ text: String) throws(HubError) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count <= 2, let address = Self.bytes(String(parts[0])) else {
                throw HubError.notAddressRange
            }
            self.address = address
            description = text
            guard parts.count == 2 else {
                bits = address.count * 8
                return
            }
            guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let bits = Int(parts[1]), 1...address.count * 8 ~= bits
            else { throw HubError.notAddressRange }
            self.bits = bits
            guard Self.cut(address, to: bits) == address else { throw HubError.notAddressRange }
        }

        /// - Parameter text: An address as the system writes it.
        func contains(_ text: String) -> Bool {
            guard let other = Self.bytes(text), other.count == address.count else { return false }
            return Self.cut(other, to: bits) == address
        }

        /// Four or sixteen bytes; an IPv4 address in an IPv6 one is the IPv4 one.
        private static func bytes(_ text: String) -> [UInt8]? {
            // A zone says on which link an address is, not which one it is.
            let text = text.prefix { $0 != "%" }
            var four = [UInt8](repeating: 0, count: 4)
            if inet_pton(AF_INET, String(text), &four) == 1 { return four }
            var sixteen = [UInt8](repeating: 0, count: 16)
            guard inet_pton(AF_INET6, String(text), &sixteen) == 1 else { return nil }
            let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
            return sixteen.starts(with: mapped) ? Array(sixteen[12...]) : sixteen
        }

        private static func cut(_ address: [UInt8], to bits: Int) -> [UInt8] {
            address.enumerated().map { index, byte in
                let kept = min(max(bits - index * 8, 0), 8)
                return byte & ~UInt8(truncatingIfNeeded: 0xFF >> kept)
            }
        }
    }
#endif
