/// What the people at one device committed, and what has to be found of it at the centre.
struct DeviceLedger {
    struct Row: Hashable {
        let table: String
        let id: Int
    }

    /// By row and column the last value that was written; what was there before it was superseded.
    private(set) var written: [Row: [String: String]] = [:]
    private(set) var deleted: Set<Row> = []
    /// Every value that a committed transaction wrote.
    private(set) var tokens: Set<String> = []
    private(set) var superseded = 0

    mutating func wrote(_ token: String, _ row: Row, _ column: String) {
        if written[row]?[column] != nil { superseded += 1 }
        written[row, default: [:]][column] = token
        tokens.insert(token)
    }

    mutating func removed(_ row: Row) {
        superseded += written.removeValue(forKey: row)?.count ?? 0
        deleted.insert(row)
    }
}
