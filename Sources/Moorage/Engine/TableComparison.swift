import GRDB
import MoorageCore
import MoorageWire

/// Makes the requests that compare a table with the hub, page by page.
struct TableComparison: Sendable {
    let table: SyncedTable
    private let rows: Int
    private let withValues: Bool
    private var after: RowKey?

    init(_ table: SyncedTable, rows: Int, withValues: Bool = true) {
        self.table = table
        self.rows = rows
        self.withValues = withValues
    }

    /// Called once, before the first request.
    func begin(_ db: Database, _ store: ReplicaStore) throws {
        try store.beginComparing(db, table: table)
    }

    func request(_ db: Database, _ store: ReplicaStore) throws -> CompareRequest {
        try store.compareRequest(
            db, table: table, after: after, rows: rows, withValues: withValues)
    }

    /// Whether there is another page.
    mutating func goesOn(after answer: CompareAnswer) throws -> Bool {
        guard let next = answer.next else { return false }
        if next == after {
            throw ReplicaError.protocolViolation(ProtocolReason.endlessComparison)
        }
        after = next
        return true
    }
}
