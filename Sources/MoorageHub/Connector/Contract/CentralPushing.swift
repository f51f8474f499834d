public import MoorageCore

/// What a push reads and writes, inside a write transaction.
public protocol CentralPushing: AnyObject {
    // MARK: Reading

    /// Reads and locks the rows of these keys, in key order, with what the tracking table says
    /// about them.
    ///
    /// - Returns: One entry for each key.
    func lockRows(_ table: AttachedTable, keys: [RowKey]) throws -> [RowKey: CentralRow]
    /// What the scopes know of these keys: `true` for a row that is in one of them, `false` for one
    /// that was. Keys that none of them ever had are missing. It also reads an open snapshot.
    func tracked(_ table: AttachedTable, keys: [RowKey], in scopes: Set<Scope>) throws -> [RowKey:
        Bool]
    /// The rows of `table` that refer to one of the parents through one of its foreign keys.
    ///
    /// - Parameter parents: Values of the referenced columns, in the foreign key's order; none is
    ///   NULL.
    func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]]

    // MARK: Writing

    /// Inserts rows of these columns; the others take their defaults.
    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws
    /// Sets these columns, with other values for each key.
    func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws
    /// Deletes the rows of these keys.
    func delete(_ table: AttachedTable, keys: [RowKey]) throws
    /// Call it inside a savepoint. Constraints that may wait for the commit then wait for
    /// ``checkConstraints(_:)``.
    func deferConstraints() throws
    /// Checks now the constraints that were deferred, as far as these rows are concerned.
    ///
    /// - Throws: `refused` when one of them is broken.
    func checkConstraints(_ written: [WrittenRows]) throws
    /// What the hub may do with a table's rows while unique values change places.
    func swapFacts(_ table: AttachedTable) throws -> SwapFacts
    /// Runs writes whose values others replace before constraints are checked, and deletes of rows
    /// that are inserted again. A database that checks their foreign keys at once omits that check
    /// where it can.
    func leavingReferences(_ write: () throws -> Void) throws
    /// The columns that keep every value exactly as it is written. There are such columns only in a
    /// table where no trigger or rule of the owner's may change a row. A push need not read again
    /// what it wrote to them.
    ///
    /// - Returns: `nil` where the database cannot tell, or where there are such triggers.
    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>?
    /// Runs one of the writes above, of rows with these times. A connector that can do so writes
    /// the times with the rows. ``setChangedAt(_:times:)`` follows in any case.
    func keeping(_ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void) throws
    /// Sets when rows were changed, after a push has written them. It skips rows that already have
    /// these times by ``keeping(_:of:_:)``.
    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws

    // MARK: Rules and keys

    /// Evaluates a rule of the owner's. The values are arguments of the column's type, and so is
    /// the result; they are never part of the statement's text.
    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value
    /// The highest value of the first key column; `nil` in an empty table. The column is an
    /// integer.
    func highestKey(of table: AttachedTable) throws -> Int64?
    /// Takes keys from the sequence that numbers rows inserted without a key. Nobody else gets
    /// these keys, even if the transaction is rolled back. Returns `nil` where the table has no
    /// such sequence.
    ///
    /// - Parameters:
    ///   - count: How many. Fewer may come where others take some meanwhile, but at least one.
    ///   - floor: All keys are above it, and so is what the sequence returns from now on.
    func reserveKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
}
