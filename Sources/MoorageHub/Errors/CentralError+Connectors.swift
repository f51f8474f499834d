public import MoorageCore

/// Errors that several connectors report in the same words.
extension CentralError {
    /// - Parameter message: A full sentence. It names tables, columns and types, never values.
    public static func refused(_ code: Refusal.Code, _ message: String) -> CentralError {
        refused(Refusal(code: code, message: message))
    }

    // MARK: Tables

    /// `failed`: a statement needs an attached table that the database no longer has.
    public static func tableGone(_ table: String) -> CentralError {
        CentralError(
            .failed, "The table \(table) is gone. Run `moorage attach` to go on without it.")
    }

    /// `failed`: an attached table no longer has a column of its description.
    public static func columnGone(_ column: String, of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The table \(table) has no column \(column) any more. Run `moorage attach` to go on \
            with the table.
            """)
    }

    /// `failed`: a key column now has a type that cannot be a synced key.
    public static func keyTypeChanged(of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The key of the table \(table) has another type than when it was attached. Run \
            `moorage attach` to go on with the table.
            """)
    }

    /// `failed`: `moorage_clock`, where a numbered clock keeps its numbers, has no row.
    public static let clockEmpty = CentralError(
        .failed, "The table moorage_clock is empty. Run `moorage attach`.")

    // MARK: Keys

    /// `failed`: the type of a key column has no room for the keys that the hub wants to reserve.
    public static func keysUsedUp(_ column: String, of table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The column \(table).\(column) has no room for more keys. Give the column a larger type.
            """)
    }

    /// `conflict`: other transactions took the keys first, so the hub tries to reserve some again.
    public static func keysTaken(of table: String) -> CentralError {
        CentralError(.conflict, "Others took the next keys of the table \(table) meanwhile.")
    }

    /// `failed`: rows still have no key after each of them was given one.
    static func keysUndone(in table: String) -> CentralError {
        CentralError(
            .failed,
            """
            The rows of \(table) lose the key that the attach gives them, because a trigger of \
            yours undoes or skips the update of \(KeylessTable.addedKey). Disable the trigger, and \
            run `moorage attach` again. Without \(table) among its tables it removes the column.
            """)
    }

    // MARK: Queries

    /// `refused`: a query compares a column with a value that is not of its type, or compares JSON.
    static func notComparable(_ column: ColumnDescription, of table: String) -> CentralError {
        guard column.type != .json else {
            return refused(
                .type, "The column \(table).\(column.name) is JSON, which no query compares.")
        }
        return refused(
            .type,
            """
            The column \(table).\(column.name) of type \(column.type.name) cannot be compared with \
            this value.
            """)
    }

    // MARK: Foreign keys

    /// `refused` with the code `foreignKey`: a written row refers to a row that does not exist.
    ///
    /// - Parameter tables: The tables that may have the written row.
    public static func parentMissing(of tables: [String]) -> CentralError {
        let names = tables.joined(separator: ", ")
        return refused(
            .foreignKey, "A foreign key of \(names) refers to a row that does not exist.")
    }

    /// `refused` with the code `foreignKey`: rows still refer to a row that the push deletes.
    ///
    /// - Parameter tables: The tables that may have had the deleted row.
    public static func childrenLeft(of tables: [String]) -> CentralError {
        let names = tables.joined(separator: ", ")
        return refused(.foreignKey, "Other rows refer to the deleted row of \(names).")
    }

    // MARK: Transactions

    /// - Parameter code: The server's code.
    public static func otherTransactionInTheWay(
        _ code: some CustomStringConvertible
    ) -> CentralError {
        CentralError(
            .conflict,
            "Another transaction was in the way, or the statement reached a time limit (\(code)).")
    }

    // MARK: The connection

    /// - Parameter code: The server's code.
    public static func cannotWork(_ code: some CustomStringConvertible) -> CentralError {
        CentralError(
            .unavailable,
            "The hub cannot reach the central database, or its server cannot work (\(code)).")
    }

    /// `unavailable`: the connection ended during a statement, or before it.
    public static let connectionBroke = CentralError(
        .unavailable, "The connection to the central database broke.")
}
