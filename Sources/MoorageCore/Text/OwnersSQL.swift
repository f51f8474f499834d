/// SQL that an owner wrote and that becomes part of one of our statements: what it must not
/// contain, and where its quotes end.
package enum OwnersSQL {
    /// More text than anybody writes by hand.
    package static let maximumBytes = 10_000

    /// Why a byte outside of quotes is not allowed; `nil` when it is.
    package static func fault(at index: Int, in bytes: [UInt8]) -> String? {
        let byte = bytes[index]
        let next = index + 1 < bytes.count ? bytes[index + 1] : nil
        return switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "$"), UInt8(ascii: "\\"), 0:
            "holds `?`, `$`, `\\` or NUL, which have a meaning of their own. Avoid them"
        case UInt8(ascii: "-") where next == byte,
            UInt8(ascii: "/") where next == UInt8(ascii: "*"):
            "holds a comment. Leave it out"
        default: nil
        }
    }

    /// The index after a quoted text, or the reason why the quote has no end.
    package static func end(
        ofQuoteAt index: Int, in bytes: [UInt8]
    ) -> (index: Int, fault: String?) {
        guard let end = bytes[(index + 1)...].firstIndex(of: bytes[index]) else {
            return (bytes.count, "has a quote that is not closed. Close it")
        }
        return (end + 1, nil)
    }
}
