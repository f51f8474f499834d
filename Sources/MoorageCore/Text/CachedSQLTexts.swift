/// A bounded number of texts: those whose prepared statements a connection keeps.
///
/// GRDB keeps statements for as long as a connection lives, without a bound, and takes texts for one
/// that Swift's `==` does. So only texts in ASCII are kept, which nothing but the same bytes equals,
/// and no more than ``maximum``.
package struct CachedSQLTexts: Sendable {
    package static let maximum = 256
    private var texts: Set<String> = []

    package init() {}

    /// Whether the text is one of them; it becomes one while there is room.
    package mutating func keep(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        if texts.contains(text) { return true }
        guard texts.count < Self.maximum else { return false }
        texts.insert(text)
        return true
    }

    package mutating func removeAll() { texts = [] }
}
