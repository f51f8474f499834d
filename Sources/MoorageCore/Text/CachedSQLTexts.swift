/// A bounded set of SQL texts. A connection keeps the prepared statements of these texts.
///
/// GRDB keeps statements as long as a connection exists, without a bound, and compares texts with
/// Swift's `==`. So the set has only ASCII texts, which equal nothing but the same bytes. It has at
/// most ``maximum`` of them.
package struct CachedSQLTexts: Sendable {
    package static let maximum = 256
    private var texts: Set<String> = []

    package init() {}

    /// Whether the set has the text. The text is added while there is room.
    package mutating func keep(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        if texts.contains(text) { return true }
        guard texts.count < Self.maximum else { return false }
        texts.insert(text)
        return true
    }

    package mutating func removeAll() { texts = [] }
}
