/// UUIDs as text and as 16 bytes, without Foundation.
public enum UUIDText {
    /// The 16 bytes of 36 characters in either case; `nil` when they are no UUID.
    public static func bytes(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count == 36 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(16)
        var index = 0
        while index < 36 {
            if [8, 13, 18, 23].contains(index) {
                guard characters[index] == UInt8(ascii: "-") else { return nil }
                index += 1
                continue
            }
            guard let high = nibble(characters[index]), let low = nibble(characters[index + 1])
            else {
                return nil
            }
            result.append(high << 4 | low)
            index += 2
        }
        return result
    }

    /// 36 lower-case characters. A slice of another length gives what its bytes give: callers check
    /// the length.
    public static func text(_ bytes: [UInt8]) -> String {
        var characters: [UInt8] = []
        characters.reserveCapacity(36)
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { characters.append(UInt8(ascii: "-")) }
            characters.append(hexDigits[Int(byte >> 4)])
            characters.append(hexDigits[Int(byte & 15)])
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// A random (version 4) UUID from the generator that the caller passes in.
    public static func random(using generator: inout some RandomNumberGenerator) -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return text(bytes)
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)

    private static func nibble(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
