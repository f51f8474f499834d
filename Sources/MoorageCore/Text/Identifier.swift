/// A name of a table or column. Two names are the same when their bytes are the same (I3).
///
/// `String` treats `é` composed and decomposed as one text; for databases they are two names.
package struct Identifier: Sendable, CustomStringConvertible {
    package let text: String

    package init(_ text: String) { self.text = text }

    package var description: String { text }
}

extension Identifier: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Messages have names as texts.
extension Identifier {
    package static func == (left: Self, right: String) -> Bool { left.text.hasSameBytes(as: right) }
    package static func != (left: Self, right: String) -> Bool { !(left == right) }
}

extension Identifier: Comparable {
    package static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension Identifier: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}
