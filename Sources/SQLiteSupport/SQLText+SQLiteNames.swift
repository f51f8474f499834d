package import MoorageCore

extension SQLText {
    /// Whether SQLite treats two names as the same: it ignores the case of ASCII letters.
    package static func isSameName(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { folded($0) == folded($1) }
    }

    /// The one form that all spellings of a name share.
    package static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map(folded), as: UTF8.self)
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
