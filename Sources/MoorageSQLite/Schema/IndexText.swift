import MoorageCore

/// The pieces of a `CREATE INDEX` statement that SQLite reports in no other way.
struct IndexText {
    /// The columns and expressions of the index, without their direction.
    let parts: [String]
    /// The condition of a partial index.
    let condition: String?

    init?(_ sql: String) {
        let bytes = Array(sql.utf8)
        func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        var words = SQLWords(sql).words[...]
        var parts: [String] = []
        var (depth, start) = (0, 0)
        var last: SQLWords.Word?
        func endPart(before word: SQLWords.Word) {
            let direction = last.flatMap { $0.isKeyword("ASC") || $0.isKeyword("DESC") ? $0 : nil }
            parts.append(text(start..<(direction ?? word).range.lowerBound))
            start = word.range.upperBound
        }
        list: while let word = words.popFirst() {
            if word.isMark("(") {
                if depth == 0 { start = word.range.upperBound }
                depth += 1
            } else if word.isMark(")") {
                depth -= 1
                if depth == 0 {
                    endPart(before: word)
                    break list
                }
            } else if word.isMark(","), depth == 1 {
                endPart(before: word)
            }
            last = word
        }
        guard !parts.isEmpty, depth == 0 else { return nil }
        self.parts = parts
        let next = words.first
        condition =
            next.flatMap { $0.isKeyword("WHERE") ? text($0.range.upperBound..<bytes.count) : nil }
    }
}
