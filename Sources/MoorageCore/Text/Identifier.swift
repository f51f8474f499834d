/// A name of a table or column. Two names are the same when their bytes are the same (I3).
///
/// `String` treats `é` composed and decomposed as one text; for databases they are two names.
public struct Identifier: Sendable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) { self.text = text }

    public var description: String { text }
}

extension Identifier: Hashable {
    public static func == (left: Self, right: Self) -> Bool {
        left.text.hasSameBytes(as: right.text)
    }

    public func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Messages have names as texts.
extension Identifier {
    public static func == (left: Self, right: String) -> Bool { left.text.hasSameBytes(as: right) }
    public static func != (left: Self, right: String) -> Bool { !(left == right) }
}

extension Identifier: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

extension Identifier: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}
