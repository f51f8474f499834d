import MoorageCore
import MoorageHub

/// One write of a request, before the hub knows its table.
struct WriteRequest: Sendable {
    enum Key: Sendable {
        /// Texts of a path.
        case path([String])
        /// Values of a batch.
        case values([JSON])
    }

    let kind: RowWrite.Kind
    let table: String
    /// `nil` where only the row names it, or the hub chooses it.
    var key: Key?
    var row = WrittenRow.absent
    var precondition = RowPrecondition.none

    /// - Throws: ``RESTProblem`` or ``RowProblem`` for what does not fit the table.
    func write(in tables: inout WrittenTables) throws -> RowWrite {
        let table = try tables.table(named: table)
        return RowWrite(
            kind, in: table.table, key: try key(of: table.table.description),
            values: try row.values(of: table), precondition: precondition)
    }

    private func key(of table: TableDescription) throws(RESTProblem) -> RowKey? {
        switch key {
        case nil: return nil
        case .path(let texts):
            guard let key = table.key(ofPath: texts) else { throw .noKey(of: table) }
            return key
        case .values(let documents): return try table.key(ofDocuments: documents)
        }
    }
}
