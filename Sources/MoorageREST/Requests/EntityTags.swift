import MoorageCore

/// What `If-Match` or `If-None-Match` names (RFC 9110, 13.1).
enum EntityTags: Hashable {
    /// `*`: any version.
    case any
    case some([EntityTag])

    /// - Returns: `nil` where the request has no such header.
    /// - Throws: ``RESTProblem`` for a value that is neither `*` nor a list.
    init?(_ header: String, of request: RESTRequest) throws(RESTProblem) {
        let values = request.values(of: header)
        if values.isEmpty { return nil }
        var reading = EntityTagReading(values.joined(separator: ","))
        guard let tags = reading.read() else {
            throw .badHeader(header, RESTProblem.entityTagForm)
        }
        self = tags
    }

    /// The versions that are the same byte for byte. A weak tag names none.
    var strong: [String] {
        if case .some(let tags) = self { tags.filter { !$0.isWeak }.map(\.text) } else { [] }
    }

    /// The versions, whether their tags are weak or strong.
    var all: [String] { if case .some(let tags) = self { tags.map(\.text) } else { [] } }
}

/// One version of a row.
struct EntityTag: Hashable {
    /// What is between the quotes.
    let text: String
    let isWeak: Bool

    /// The header `ETag` of a row.
    static func header(of etag: String) -> (name: String, value: String) { ("ETag", "\"\(etag)\"") }
}

private struct EntityTagReading {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) { rest = Array(text.utf8)[...] }

    /// - Returns: `nil` for what is no list of tags.
    mutating func read() -> EntityTags? {
        var tags: [EntityTag] = []
        skipSpaces()
        if skip("*") {
            skipSpaces()
            return rest.isEmpty ? .any : nil
        }
        while !rest.isEmpty {
            // A list may have elements without anything in them.
            if skip(",") {
                skipSpaces()
                continue
            }
            guard let tag = tag() else { return nil }
            tags.append(tag)
            skipSpaces()
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
        return tags.isEmpty ? nil : .some(tags)
    }

    private mutating func tag() -> EntityTag? {
        let isWeak = skip("W")
        if isWeak, !skip("/") { return nil }
        guard skip("\""), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let text = rest[..<end]
        rest = rest[(end + 1)...]
        guard text.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), let text = String(exactly: text) else {
            return nil
        }
        return EntityTag(text: text, isWeak: isWeak)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpaces() { while skip(" ") || skip("\t") {} }
}
