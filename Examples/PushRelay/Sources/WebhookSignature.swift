#if Server
    import Crypto
    import Foundation

    /// Checks that a request came from the hub, and not long ago.
    struct WebhookSignature: Sendable {
        /// The fewest bytes of a secret.
        static let minimumSecretBytes = 32
        /// How old a request may be in seconds, and how far ahead the hub's clock.
        static let maximumAge: Int64 = 300

        private let key: SymmetricKey

        init(secret: String) { key = SymmetricKey(data: Data(secret.utf8)) }

        /// How long it takes does not depend on how many digits are right.
        ///
        /// - Parameters:
        ///   - header: `t=<seconds>,v1=<digits>`. The digits are the HMAC-SHA256 of the seconds, a
        ///     point and the body, in hexadecimal.
        ///   - now: Seconds since 1970.
        func isValid(_ header: String, of body: Data, now: Int64) -> Bool {
            let parts = header.split(separator: ",")
            guard let time = Self.value("t", in: parts), let digits = Self.value("v1", in: parts),
                let seconds = Int64(time), let code = Self.bytes(digits),
                (now - Self.maximumAge...now + Self.maximumAge).contains(seconds)
            else { return false }
            return HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data("\(time).".utf8) + body, using: key)
        }

        private static func value(_ name: String, in parts: [Substring]) -> Substring? {
            parts.first { $0.hasPrefix("\(name)=") }?.dropFirst(name.count + 1)
        }

        private static func bytes(_ digits: Substring) -> [UInt8]? {
            let digits = Array(digits.utf8)
            guard digits.count == 2 * SHA256.byteCount else { return nil }
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: digits.count, by: 2) {
                let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
                guard let byte = UInt8(pair, radix: 16) else { return nil }
                bytes.append(byte)
            }
            return bytes
        }
    }
#endif
