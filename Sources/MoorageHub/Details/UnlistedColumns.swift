import MoorageCore

/// The columns of a central table that the schema answer does not list, to find them in the
/// owner's SQL.
struct UnlistedColumns {
    private let names: [[UInt8]]

    /// - Parameters:
    ///   - table: The table with the columns that the answer lists.
    ///   - all: The names of all columns that there may be.
    init(of table: TableDescription, among all: [String]) {
        names = all.filter { table.column(named: $0) == nil }.map(Self.folded)
    }

    /// Whether the SQL may speak of one. It searches for names in any case and in any quotes, also
    /// within other words. It says yes too often rather than too rarely.
    func mayBeNamed(in sql: String) -> Bool {
        if names.isEmpty { return false }
        let text = Self.folded(sql)
        return names.contains { $0.isEmpty || text.firstRange(of: $0) != nil }
    }

    /// In lower case and without quotes, which SQL doubles and escapes within a name.
    private static func folded(_ text: String) -> [UInt8] {
        text.lowercased().utf8.filter { !quotes.contains($0) }
    }

    private static let quotes = Array("\"'`\\".utf8)
}
