import MoorageCore
import MoorageHub

/// Collects a table's tracking rows with its rows, one row of a statement at a time:
/// `k0, k1, …, live, version, live_since, found, column, …`.
struct ContentReading {
    let shape: TableShape
    /// The places of the rows' columns in the description.
    let columns: [Int]
    /// The number of the checkpoint that is read from.
    private let since: Int64?
    private var keys: [ValueColumn]
    private var rows: [ValueColumn]
    private var isLive: [Bool] = []
    private var versions: [UInt64?] = []
    private var wasLiveBefore: [Bool] = []
    private var isFound: [Bool] = []

    init(_ shape: TableShape, columns: [Int], since: Int64?) {
        self.shape = shape
        self.columns = columns
        self.since = since
        keys = Array(repeating: ValueColumn(), count: shape.keyCount)
        rows = Array(repeating: ValueColumn(), count: columns.count)
    }

    var count: Int { isLive.count }

    var content: TrackedContent {
        TrackedContent(
            keys: RowColumns(keys), isLive: isLive, versions: versions,
            wasLiveBefore: wasLiveBefore, isFound: isFound, rows: RowColumns(rows))
    }

    mutating func add(_ row: SQLiteStatement) {
        let description = shape.table.description
        for (place, column) in description.primaryKey.enumerated() {
            let value = row.value(at: Int32(place))
            keys[place].append(shape.portable(value, in: column))
        }
        let first = Int32(keys.count)
        isLive.append(row.value(at: first) == .integer(1))
        if case .integer(let number) = row.value(at: first + 1) {
            versions.append(UInt64(clamping: number))
        } else {
            versions.append(nil)
        }
        if case .integer(let liveSince) = row.value(at: first + 2), let since {
            wasLiveBefore.append(liveSince <= since)
        } else {
            wasLiveBefore.append(false)
        }
        isFound.append(row.value(at: first + 3) == .integer(1))
        for (place, column) in columns.enumerated() {
            let value = row.value(at: first + 4 + Int32(place))
            rows[place].append(shape.portable(value, in: column))
        }
    }
}
