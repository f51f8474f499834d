import MoorageHub

extension TableRights {
    private static let kinds: [(String, any WritableKeyPath<TableRights, Bool> & Sendable)] = [
        ("insert", \.insert), ("update", \.update), ("delete", \.delete), ("move", \.move),
    ]

    /// What may be done, as words of a story.
    var words: String {
        let kinds = ["read"] + Self.kinds.filter { self[keyPath: $0.1] }.map(\.0)
        let own = columns.map { ["columns"] + $0.sorted() } ?? []
        return (kinds + own).joined(separator: " ")
    }

    /// - Returns: `nil` for a word that names no right.
    init?(words: [String]) {
        self.init()
        let parts = words.split(
            separator: "columns", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count > 1 { columns = Set(parts[1]) }
        for word in parts[0] where word != "read" {
            guard let kind = Self.kinds.first(where: { $0.0 == word }) else { return nil }
            self[keyPath: kind.1] = true
        }
    }
}
