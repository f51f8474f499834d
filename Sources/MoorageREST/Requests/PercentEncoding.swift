import MoorageCore

/// Percent-encoding of one part of an address (RFC 3986, 2.1).
enum PercentEncoding {
    /// Encodes everything but letters, digits, `-`, `.`, `_` and `~`.
    static func encode(_ text: String) -> String {
        let digits: StaticString = "0123456789ABCDEF"
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.append(byte)
            default:
                result.append(UInt8(ascii: "%"))
                result.append(digits.utf8Start[Int(byte >> 4)])
                result.append(digits.utf8Start[Int(byte & 15)])
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// - Returns: `nil` for a `%` without two hex digits, and for bytes that are not UTF-8.
    static func decode(_ text: some Collection<UInt8>) -> String? { decoded(text) { $0 } }

    /// The same for a part of a form, where `+` is a space (`application/x-www-form-urlencoded`).
    static func decode(form text: some Collection<UInt8>) -> String? {
        decoded(text) { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    }

    private static func decoded(
        _ text: some Collection<UInt8>, _ plain: (UInt8) -> UInt8
    ) -> String? {
        var result: [UInt8] = []
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(plain(byte))
                continue
            }
            guard let high = rest.popFirst().flatMap(nibble),
                let low = rest.popFirst().flatMap(nibble)
            else { return nil }
            result.append(high << 4 | low)
        }
        return String(exactly: result)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
