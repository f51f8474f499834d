public import MoorageCore

/// What programs that are no replicas read: rows that meet a condition, in an order of their own.
///
/// Both functions read the open snapshot. Begin it with ``CentralNumbering/openSnapshot()``, which
/// throws `conflict` while the scopes of rows that moved are not derived yet.
public protocol CentralQuerying: AnyObject {
    /// The rows of a query, in its order, as the open snapshot shows them.
    ///
    /// - Returns: The query's columns of each row; fewer rows than its limit where there are no
    ///   more.
    /// - Throws: ``CentralError`` of kind `refused` for a value that no row of the column can be
    ///   compared with. It is of kind `conflict` while too many rows of a table with scopes have no
    ///   number.
    func rows(_ table: AttachedTable, _ query: RowQuery) throws -> [[Value]]
    /// How many rows meet a query's condition in its scopes. Its order, its position, its columns
    /// and its limit do not count.
    ///
    /// - Parameter most: It counts no further than this.
    func count(_ table: AttachedTable, _ query: RowQuery, most: Int) throws -> Int
}
