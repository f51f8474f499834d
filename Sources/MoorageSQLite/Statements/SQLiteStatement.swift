import GRDB
import GRDBSQLite
import MoorageCore
import MoorageHub
import SQLiteSupport

/// A prepared statement of the connector's, whose errors are ``CentralError``.
final class SQLiteStatement {
    private let handle: StatementHandle
    private let connection: OpaquePointer
    /// What finalizes the statement.
    private let owner: Statement

    /// A statement that may have been used before, as if it were prepared just now: a progress handler,
    /// too, counts its steps from the start.
    ///
    /// GRDB prepares them all. It records which columns a statement reads, and forgets them before it prepares
    /// the next one. What is prepared behind its back adds up: each column then costs a copy of all tables
    /// that were read before.
    init(prepared statement: Statement, on connection: OpaquePointer) {
        handle = StatementHandle(statement.sqliteStatement)
        self.connection = connection
        owner = statement
        handle.resetStepCount()
    }

    /// Runs the statement and hands on each row.
    func run(_ arguments: [Value], row: (SQLiteStatement) throws -> Void = { _ in }) throws {
        defer {
            handle.reset()
            handle.clearBindings()
        }
        for (index, value) in arguments.enumerated() {
            guard handle.bind(value, at: index + 1) == SQLITE_OK else {
                throw CentralError(sqlite: connection)
            }
        }
        while true {
            switch handle.step() {
            case SQLITE_ROW: try row(self)
            case SQLITE_DONE: return
            default: throw CentralError(sqlite: connection)
            }
        }
    }

    /// The values of the row that the statement stands on.
    func values(_ columns: Range<Int>) -> [Value] { columns.map { value(at: Int32($0)) } }

    var columnCount: Int { handle.columnCount }

    /// A value of that row. Text that is no UTF-8 is the blob of its bytes.
    func value(at column: Int32) -> Value { handle.column(Int(column)).value }
}
