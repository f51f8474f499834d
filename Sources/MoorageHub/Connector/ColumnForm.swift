/// What a column's declaration says about how it stores values, beyond their portable type. If the
/// form becomes narrower, the database has rewritten values of existing rows, and no trigger
/// reports it.
public struct ColumnForm: Codable, Hashable, Sendable {
    /// What must remain so that values remain: the labels of an enumeration, a character set, an
    /// expression.
    public let words: [String]
    /// How large a value can be, in any unit: digits behind the point, characters; `nil` without
    /// limit.
    public let size: Int?

    /// - Parameters:
    ///   - words: In any order. They are compared by bytes.
    ///   - size: In the same unit whenever the same column is read; `nil` for no limit.
    public init(_ words: [String], size: Int? = nil) {
        self.words = words
        self.size = size
    }

    /// Whether this form keeps every value of the other one as it is.
    func holds(_ other: ColumnForm) -> Bool {
        let known = Set(words.map { Array($0.utf8) })
        guard other.words.allSatisfy({ known.contains(Array($0.utf8)) }) else { return false }
        guard let size else { return true }
        return other.size.map { $0 <= size } ?? false
    }
}
