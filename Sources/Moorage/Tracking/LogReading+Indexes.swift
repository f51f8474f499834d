import GRDB
import MoorageCore

/// Indexes that only a long log has, because each one slows the app's own writes.
extension LogReading {
    private var keyIndex: String { SQLText.name(table.tracked.logTable + "_key") }
    private var groupIndex: String { SQLText.name(table.tracked.logTable + "_group") }
    private func uniqueIndex(_ number: Int) -> String {
        SQLText.name(table.tracked.logTable + "_unique_\(number)")
    }

    /// Called before many rows are looked up: without an index each of them would read the whole
    /// log.
    func makeIndexesIfLong() throws {
        if try isLong() { try makeIndexes() }
    }

    /// - Parameter count: A log with more entries is long.
    func isLong(from count: Int = Self.indexedFrom) throws -> Bool {
        try self.count(upTo: count + 1) > count
    }

    static let indexedFrom = 2000
    /// A comparison looks up every entry.
    static let indexedForComparing = 100

    func makeIndexes() throws {
        let key = table.tracked.keyColumns.joined(separator: ", ")
        try statements.db.execute(
            sql: "CREATE INDEX IF NOT EXISTS \(keyIndex) ON \(log)(\(key), seq)")
        try statements.db.execute(
            sql: "CREATE INDEX IF NOT EXISTS \(groupIndex) ON \(log)(grp) WHERE grp IS NOT NULL")
        for (number, places) in uniquePlaces.enumerated() {
            let columns = places.map { "o\($0)" }.joined(separator: ", ")
            try statements.db.execute(
                sql: "CREATE INDEX IF NOT EXISTS \(uniqueIndex(number)) ON \(log)(\(columns))")
        }
    }

    func dropIndexes() throws {
        let found = try statements(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?1")
        try found.bind(.text(table.tracked.logTable), at: 1)
        var names: [String] = []
        while try found.step() {
            if case .value(.text(let name)) = found.column(0) { names.append(name) }
        }
        for name in names {
            try statements.db.execute(sql: "DROP INDEX \(SQLText.name(name))")
        }
    }

    /// The unique keys except the primary one, as places of the log.
    var uniquePlaces: [[Int]] {
        table.description.uniqueKeys.compactMap { key in
            let places = key.compactMap { table.placeOfColumn[$0] }
            return places.count == key.count ? places : nil
        }
    }
}
