/// Base64 (RFC 4648, with padding) for blobs in JSON, without Foundation.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let rest = bytes.count - index
            let first = bytes[index]
            let second = rest > 1 ? bytes[index + 1] : 0
            let third = rest > 2 ? bytes[index + 2] : 0
            result.append(alphabet[Int(first >> 2)])
            result.append(alphabet[Int((first & 3) << 4 | second >> 4)])
            result.append(rest > 1 ? alphabet[Int((second & 15) << 2 | third >> 6)] : padding)
            result.append(rest > 2 ? alphabet[Int(third & 63)] : padding)
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// `nil` when the text is not exactly what ``encode(_:)`` writes.
    package static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { decode($0) }
    }

    /// In the alphabet for URLs, without padding (RFC 7515).
    package static func encode(urlSafe bytes: [UInt8]) -> String {
        let characters = encode(bytes).utf8.compactMap { character -> UInt8? in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case padding: nil
            default: character
            }
        }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Reads the alphabet for URLs without padding (RFC 7515); `nil` for anything else.
    package static func decode(urlSafe text: some StringProtocol) -> [UInt8]? {
        var characters = Array(text.utf8)
        for (index, character) in characters.enumerated() {
            switch character {
            case UInt8(ascii: "-"): characters[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): characters[index] = UInt8(ascii: "/")
            case UInt8(ascii: "+"), UInt8(ascii: "/"), padding: return nil
            default: break
            }
        }
        characters += [UInt8](repeating: padding, count: (4 - characters.count % 4) % 4)
        return characters.withUnsafeBufferPointer { decode($0) }
    }

    private static func decode(_ characters: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard characters.count % 4 == 0 else { return nil }
        let padded = characters.suffix(2).reversed().prefix { $0 == padding }.count
        let values = Self.values
        var result: [UInt8] = []
        result.reserveCapacity(characters.count / 4 * 3)
        var bits: UInt32 = 0
        var phase = 0
        var index = 0
        while index < characters.count - padded {
            let value = values[Int(characters[index])]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            switch phase {
            case 1: result.append(UInt8(truncatingIfNeeded: bits >> 4))
            case 2: result.append(UInt8(truncatingIfNeeded: bits >> 2))
            case 3: result.append(UInt8(truncatingIfNeeded: bits))
            default: break
            }
            phase = (phase + 1) & 3
            index += 1
        }
        // The bits that padding leaves over must be zero. Otherwise two texts would mean one blob.
        let leftOver: UInt32 = padded == 2 ? 15 : padded == 1 ? 3 : 0
        return bits & leftOver == 0 ? result : nil
    }

    private static let padding = UInt8(ascii: "=")
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (index, character) in alphabet.enumerated() { values[Int(character)] = UInt8(index) }
        return values
    }()
}
