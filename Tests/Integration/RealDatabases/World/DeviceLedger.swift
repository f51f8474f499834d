/// What the users of one device committed, and what the oracle must find at the centre.
struct DeviceLedger {
    struct Row: Hashable {
        let table: String
        let id: Int
    }

    /// The last value that was written, by row and column. It supersedes the value before it.
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
