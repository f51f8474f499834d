/// What a column's declaration says of how its values are kept, beyond their portable type. Where it becomes
/// narrower the database has written other values into existing rows, and no trigger tells of it.
public struct ColumnForm: Codable, Hashable, Sendable {
    /// What must stay for values to stay: the labels of an enumeration, a character set, an expression.
    public let words: [String]
    /// How much a value can have, in any unit: digits behind the point, characters; `nil` without limit.
    public let size: Int?

    public init(_ words: [String], size: Int? = nil) {
        self.words = words
        self.size = size
    }

    /// Whether every value of the other form is kept as it is.
    func holds(_ other: ColumnForm) -> Bool {
        let known = Set(words.map { Array($0.utf8) })
        guard other.words.allSatisfy({ known.contains(Array($0.utf8)) }) else { return false }
        guard let size else { return true }
        return other.size.map { $0 <= size } ?? false
    }
}
