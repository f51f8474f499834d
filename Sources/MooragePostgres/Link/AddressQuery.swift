import MoorageHub

/// The options after the `?` of a URL, without Moorage's own. All others go to libpq, which refuses
/// options that it does not know.
struct AddressQuery {
    /// The URL without Moorage's own options.
    let rest: String
    /// Moorage's own options by name, decoded.
    let values: [String: String]

    init(url: String, own: Set<String>) throws {
        let bytes = Array(url.utf8)
        guard let questionMark = Self.start(in: bytes) else {
            (rest, values) = (url, [:])
            return
        }
        var values: [String: String] = [:]
        var others: [ArraySlice<UInt8>] = []
        for part in bytes[(questionMark + 1)...].split(separator: UInt8(ascii: "&")) {
            let name = String(decoding: part.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            guard own.contains(name) else {
                others.append(part)
                continue
            }
            guard values[name] == nil, let value = Self.decoded(part.dropFirst(name.utf8.count + 1))
            else { throw CentralError.unreadableOption(name) }
            values[name] = value
        }
        self.values = values
        let query = others.joined(separator: [UInt8(ascii: "&")])
        rest =
            String(decoding: bytes[..<questionMark], as: UTF8.self)
            + (others.isEmpty ? "" : "?" + String(decoding: Array(query), as: UTF8.self))
    }

    /// Where the options begin. A user and a password may contain a `?`, because libpq looks for
    /// their end first.
    private static func start(in bytes: [UInt8]) -> Int? {
        guard let scheme = bytes.firstRange(of: Array("://".utf8)) else { return nil }
        var host = scheme.upperBound
        let end = bytes[host...].firstIndex { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "/") }
        if let end, bytes[end] == UInt8(ascii: "@") { host = end }
        return bytes[host...].firstIndex(of: UInt8(ascii: "?"))
    }

    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
                let value = UInt8(digits, radix: 16), value != 0
            else {
                return nil
            }
            result.append(value)
            rest = rest.dropFirst(2)
        }
        return result.isEmpty ? nil : String(validating: result, as: UTF8.self)
    }
}
