import MoorageHub

/// The paths of related rows that a request may name, such as `order_details.product_id`.
struct RelationPaths {
    /// A document lists no more for one table. Deeper paths are left out first.
    private static let most = 60

    private let tables: [String: DocumentTable]

    init(_ tables: [DocumentTable]) {
        self.tables = Dictionary(
            tables.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// All paths of as many levels as fit, shorter ones first.
    func all(of table: DocumentTable) -> [String] {
        var paths: [String] = []
        var level: [(path: String, table: DocumentTable)] = [("", table)]
        for depth in 1...RowReader.mostLevels {
            let count = level.reduce(0) { $0 + $1.table.relations.count }
            if depth > 1, paths.count + count > Self.most { break }
            level = level.flatMap { parent in
                parent.table.relations.compactMap { relation, other in
                    guard let other = tables[other] else { return nil }
                    let name = NameReading.written(relation.name)
                    return (parent.path.isEmpty ? name : parent.path + "." + name, other)
                }
            }
            paths += level.map(\.path)
        }
        return paths
    }
}
