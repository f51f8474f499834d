/// Compares a table's rows, as text, with the rows of a copy.
enum RowComparison {
    /// Describes the differences; `nil` when there are none.
    static func describe(_ name: String, truth: [[String]], copy: [[String]]) -> String? {
        guard truth != copy else { return nil }
        let missing = Set(truth).subtracting(copy).sorted { $0[0] < $1[0] }
        let beyond = Set(copy).subtracting(truth).sorted { $0[0] < $1[0] }
        return """
            \(name): \(missing.count) rows missing \(missing.prefix(5)), \(beyond.count) beyond \
            \(beyond.prefix(5)), \(truth.count) and \(copy.count) in all
            """
    }
}
