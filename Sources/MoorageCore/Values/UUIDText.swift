/// UUIDs as text and as 16 bytes, without Foundation.
public enum UUIDText {
    /// The 16 bytes of 36 characters in either case; `nil` when they are no UUID.
    public static func bytes(_ text: String) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(16)
        let isUUID = Array(text.utf8).withUnsafeBufferPointer {
            appendBytes(of: $0, allowsUpperCase: true, to: &result)
        }
        return isUUID ? result : nil
    }

    /// Appends the 16 bytes of 36 characters.
    ///
    /// - Returns: `false` when the characters are no UUID. Some bytes may be appended then.
    package static func appendBytes(
        of characters: UnsafeBufferPointer<UInt8>, allowsUpperCase: Bool, to bytes: inout [UInt8]
    ) -> Bool {
        guard characters.count == 36 else { return false }
        var index = 0
        while index < 36 {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard characters[index] == UInt8(ascii: "-") else { return false }
                index += 1
                continue
            }
            guard let high = nibble(characters[index], allowsUpperCase),
                let low = nibble(characters[index + 1], allowsUpperCase)
            else { return false }
            bytes.append(high << 4 | low)
            index += 2
        }
        return true
    }

    /// The text of 16 bytes: 36 lower-case characters. Callers check the length, because other
    /// lengths give other text.
    public static func text(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 2 * bytes.count + 4) { text in
            bytes.withUnsafeBufferPointer { write($0, to: text) }
        }
    }

    /// Writes bytes in lower case: 36 characters for 16 bytes.
    ///
    /// - Precondition: There is room for two characters for each byte, and four more.
    /// - Returns: How many characters were written.
    package static func write(
        _ bytes: UnsafeBufferPointer<UInt8>, to text: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        let digits: StaticString = "0123456789abcdef"
        let hex = digits.utf8Start
        var end = 0
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 {
                text[end] = UInt8(ascii: "-")
                end += 1
            }
            text[end] = hex[Int(byte >> 4)]
            text[end + 1] = hex[Int(byte & 15)]
            end += 2
        }
        return end
    }

    /// A random (version 4) UUID from the generator that the caller passes in.
    public static func random(using generator: inout some RandomNumberGenerator) -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return text(bytes)
    }

    private static func nibble(_ character: UInt8, _ allowsUpperCase: Bool) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F") where allowsUpperCase:
            character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
