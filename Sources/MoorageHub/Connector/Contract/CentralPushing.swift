public import MoorageCore

/// What a push reads and writes, inside a write transaction.
public protocol CentralPushing: AnyObject {
    // MARK: Reading

    /// Reads and locks the rows of these keys, in key order, with what the tracking table says of
    /// them.
    ///
    /// - Returns: One entry for each key.
    func lockRows(_ table: AttachedTable, keys: [Key]) throws -> [Key: CentralRow]
    /// What the scopes know of these keys: `true` for a row that is in one of them, `false` for one that
    /// was. Keys that none of them ever had are left out.
    func tracked(_ table: AttachedTable, keys: [Key], in scopes: Set<Scope>) throws -> [Key: Bool]
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
    func delete(_ table: AttachedTable, keys: [Key]) throws
    /// Inside a savepoint: constraints that would wait for the commit are left for
    /// ``checkConstraints(_:)``.
    func deferConstraints() throws
    /// Checks now what was deferred, as far as these rows are concerned.
    ///
    /// - Throws: `refused` when one of them is broken.
    func checkConstraints(_ written: [WrittenRows]) throws
    /// What may be done with a table's rows while unique values change places.
    func swapFacts(_ table: AttachedTable) throws -> SwapFacts
    /// Runs writes whose values others replace before constraints are checked, and deletes of rows that are
    /// inserted again: a database that would check their foreign keys at once leaves that out where it can.
    func leavingReferences(_ write: () throws -> Void) throws
    /// The columns that keep every value exactly as it is written, in a table whose writes do nothing
    /// else: no trigger and no rule of the owner's may change a row. What a push wrote to them need not
    /// be read again.
    ///
    /// - Returns: `nil` where the database cannot tell, or where there are such triggers.
    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>?
    /// Runs one of the writes above, of rows with these times. A connector that can writes the times with
    /// the rows; ``setChangedAt(_:times:)`` follows in any case.
    func keeping(_ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void) throws
    /// Sets when rows were changed, after a push has written them, where they do not have these times
    /// by ``keeping(_:of:_:)``.
    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws

    // MARK: Rules and keys

    /// Evaluates a rule of the owner's. The values are arguments of the column's type, and so is the
    /// result; they are never part of the statement's text.
    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value
    /// The highest value of the first key column; `nil` in an empty table. The column is an integer.
    func highestKey(of table: AttachedTable) throws -> Int64?
    /// Takes keys from the sequence that gives them to rows inserted without one, so that nobody else
    /// gets them, even if the transaction is rolled back; `nil` where the table has no such sequence.
    ///
    /// - Parameters:
    ///   - count: How many; fewer may come where others take some meanwhile, but one at least.
    ///   - floor: All are above it, and so is what the sequence gives out from now on.
    func reserveKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
}
