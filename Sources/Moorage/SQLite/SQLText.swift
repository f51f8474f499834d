import MoorageCore

/// Text that goes into SQL where nothing can be bound.
enum SQLText {
    /// A name in double quotes.
    static func name(_ name: String) -> String { name.quoted(by: "\"") }

    static func names(_ names: some Sequence<String>) -> String {
        names.map(name).joined(separator: ", ")
    }

    /// A text literal in single quotes.
    static func literal(_ text: String) -> String { text.quoted(by: "'") }

    /// `?1, ?2, …`
    static func parameters(_ count: Int) -> String {
        (0..<count).map { "?\($0 + 1)" }.joined(separator: ", ")
    }

    /// Whether SQLite takes two names for the same: letters of ASCII in either case.
    static func isSameName(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { folded($0) == folded($1) }
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// The same letters for every spelling of a name.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map(folded), as: UTF8.self)
    }
}
