import MoorageCore

/// The conditions of a table's checks. SQLite reports them only in the statement that created the
/// table.
enum CheckTexts {
    /// In the statement's order, without comments.
    ///
    /// - Parameter statement: `CREATE TABLE …` as `sqlite_schema` has it.
    static func read(_ statement: String) -> [String] {
        let words = SQLWords(statement).words
        let bytes = Array(statement.utf8)
        return words.indices.compactMap { place in
            // SQLite accepts the word as a name only in quotes.
            guard words[place].isKeyword("CHECK") else { return nil }
            return condition(words[(place + 1)...], in: bytes)
        }
    }

    /// What the brackets contain in which the words begin; `nil` where they have no end.
    private static func condition(
        _ words: ArraySlice<SQLWords.Word>, in bytes: [UInt8]
    ) -> String? {
        guard words.first?.isMark("(") == true else { return nil }
        var text: [UInt8] = []
        var (depth, end) = (1, 0)
        for word in words.dropFirst() {
            if word.isMark("(") { depth += 1 }
            if word.isMark(")") { depth -= 1 }
            if depth == 0 { return String(decoding: text, as: UTF8.self) }
            // Between two words are spaces and comments.
            if !text.isEmpty, word.range.lowerBound > end { text.append(UInt8(ascii: " ")) }
            text += bytes[word.range]
            end = word.range.upperBound
        }
        return nil
    }
}
