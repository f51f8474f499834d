package import MoorageCore

extension SQLText {
    /// Whether SQLite takes two names for the same: letters of ASCII in either case.
    package static func isSameName(_ left: String, _ right: String) -> Bool {
        left.utf8.elementsEqual(right.utf8) { folded($0) == folded($1) }
    }

    /// The same letters for every spelling of a name.
    package static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map(folded), as: UTF8.self)
    }

    private static func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
