/// The column that an attach adds to a table without any key (docs/decisions/0104): the only thing
/// that Moorage changes in a table of the owner's.
///
/// A connector adds it to tables whose ``KeylessTable/addedKeyType`` it names. The defaults are for
/// a connector that never does.
public protocol CentralAddedKeys: AnyObject {
    /// The statements that add the column ``KeylessTable/addedKey``, and what gives a value to rows
    /// that other programs insert. They leave out what exists already. Each commits alone.
    ///
    /// - Parameter table: By number and name alone.
    func addKeySteps(to table: AttachedTable) throws -> [String]
    /// Gives a key to each row that has none, in transactions of its own with at most `batch` rows.
    /// Repeatable. It fails where a trigger of the owner's undoes that, rather than never end.
    ///
    /// - Parameter progress: Called between the transactions.
    func fillKeys(of table: AttachedTable, batch: Int, progress: () throws -> Void) throws
    /// The statements after which every row has a key, and no two rows the same. They leave out
    /// what exists already. Each commits alone.
    func closeKeySteps(of table: AttachedTable) throws -> [String]
    /// The statements that remove the column with all that belongs to it. Empty for a table that is
    /// gone, or has no such column.
    func removeKeySteps(from table: AttachedTable) throws -> [String]
}

extension CentralAddedKeys {
    public func addKeySteps(to table: AttachedTable) throws -> [String] { [] }
    public func fillKeys(of table: AttachedTable, batch: Int, progress: () throws -> Void) throws {}
    public func closeKeySteps(of table: AttachedTable) throws -> [String] { [] }
    public func removeKeySteps(from table: AttachedTable) throws -> [String] { [] }
}

extension CentralAddedKeys {
    /// Repeats a pass over the rows without a key until there are none.
    ///
    /// - Parameters:
    ///   - count: Counts the rows that have no key.
    ///   - pass: Gives keys to that many rows.
    /// - Throws: ``CentralError`` `failed` where a pass leaves as many rows without a key. The next
    ///   one would do the same.
    public func fillRows(
        of table: AttachedTable, count: () throws -> Int, pass: (Int) throws -> Void
    ) throws {
        var left = try count()
        while left > 0 {
            try pass(left)
            let rest = try count()
            guard rest < left else { throw CentralError.keysUndone(in: table.name) }
            left = rest
        }
    }
}
