import GRDB
import MoorageCore
import MoorageWire

/// Makes the requests that compare a table with the hub, page by page.
struct TableComparison: Sendable {
    let table: SyncedTable
    private let rows: Int
    private let withValues: Bool
    private let clientVersion: String?
    private var after: RowKey?

    init(_ table: SyncedTable, _ options: ReplicaOptions, withValues: Bool = true) {
        self.table = table
        rows = options.pageLimits.maximumRows
        clientVersion = options.device.appVersion?.reported
        self.withValues = withValues
    }

    /// Called once, before the first request.
    func begin(_ db: Database, _ store: ReplicaStore) throws {
        try store.beginComparing(db, table: table)
    }

    func request(_ db: Database, _ store: ReplicaStore) throws -> CompareRequest {
        var request = try store.compareRequest(
            db, table: table, after: after, rows: rows, withValues: withValues)
        request.clientVersion = clientVersion
        return request
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
