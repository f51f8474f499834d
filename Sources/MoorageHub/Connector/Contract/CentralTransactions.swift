/// Transactions and savepoints of one connection.
public protocol CentralTransactions: AnyObject {
    /// Opens a transaction; the connection has none open.
    func begin(_ kind: TransactionKind) throws
    /// Makes the open transaction permanent.
    func commit() throws
    /// Ends the transaction, if there is one, without effect. It does not fail: a connection that
    /// cannot roll back is closed and opened again with its next use.
    func rollback()
    /// Inside a transaction: begins a part that can be undone alone. Savepoints nest.
    func savepoint() throws
    /// Forgets the innermost savepoint and keeps what followed it.
    func releaseSavepoint() throws
    /// Undoes what followed the innermost savepoint, and forgets it.
    func rollbackToSavepoint() throws
}

/// What a transaction of the hub does.
public enum TransactionKind: Hashable, Sendable {
    /// Only reads, and sees one state of the database.
    case snapshot
    /// Reads and writes, under read committed or stronger.
    case write
}
