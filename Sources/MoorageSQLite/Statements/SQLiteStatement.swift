import GRDB
import GRDBSQLite
import MoorageCore
import MoorageHub
import SQLiteSupport

/// A prepared statement of the connector's, whose errors are ``CentralError``.
final class SQLiteStatement {
    private let handle: StatementHandle
    private let connection: OpaquePointer
    /// The owner of the handle, which finalizes it.
    private let owner: Statement

    /// The statement may have been used before, and works as if it were prepared just now. A
    /// progress handler also counts its steps from the start.
    ///
    /// GRDB prepares all statements. It records which columns a statement reads, and forgets them
    /// before it prepares the next one. Columns of statements that are prepared without GRDB add
    /// up. Each of them then costs a copy of all tables that were read before.
    init(prepared statement: Statement, on connection: OpaquePointer) {
        handle = StatementHandle(statement.sqliteStatement)
        self.connection = connection
        owner = statement
        handle.resetStepCount()
    }

    /// Runs the statement and passes on each row.
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

    /// The values of the current row.
    func values(_ columns: Range<Int>) -> [Value] { columns.map { value(at: Int32($0)) } }

    var columnCount: Int { handle.columnCount }

    /// A value of that row. Text that is not UTF-8 becomes the blob of its bytes.
    func value(at column: Int32) -> Value { handle.column(Int(column)).value }
}
