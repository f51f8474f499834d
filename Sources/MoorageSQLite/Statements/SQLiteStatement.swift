import GRDB
import GRDBSQLite
import MoorageCore
import MoorageHub

/// A prepared statement on SQLite's own interface: text is bound and read by its length, NUL and
/// all.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    /// What finalizes the statement, when that is not this object.
    private let owner: Statement?

    init(_ sql: String, on connection: OpaquePointer) throws {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw CentralError(sqlite: connection) }
        handle = statement
        self.connection = connection
        owner = nil
    }

    /// A statement that was used before, as if it were prepared just now: a progress handler, too,
    /// counts its steps from the start.
    init(kept statement: Statement, on connection: OpaquePointer) {
        handle = statement.sqliteStatement
        self.connection = connection
        owner = statement
        sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
    }

    deinit { if owner == nil { sqlite3_finalize(handle) } }

    /// Runs the statement and hands on each row.
    func run(_ arguments: [Value], row: (SQLiteStatement) throws -> Void = { _ in }) throws {
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in arguments.enumerated() { try bind(value, at: Int32(index + 1)) }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try row(self)
            case SQLITE_DONE: return
            default: throw CentralError(sqlite: connection)
            }
        }
    }

    /// The values of the row that the statement stands on.
    func values(_ columns: Range<Int>) -> [Value] { columns.map { value(at: Int32($0)) } }

    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    func value(at column: Int32) -> Value {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, column) else { return .text("") }
            let bytes = UnsafeBufferPointer(
                start: start, count: Int(sqlite3_column_bytes(handle, column)))
            // Text that is no UTF-8 goes on as the bytes it is: nothing is repaired.
            return String(exactly: bytes).map(Value.text) ?? .blob(Array(bytes))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, column) else { return .blob([]) }
            return .blob(
                Array(
                    UnsafeRawBufferPointer(
                        start: start, count: Int(sqlite3_column_bytes(handle, column)))))
        default: return .null
        }
    }

    private func bind(_ value: Value, at index: Int32) throws {
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(handle, index)
        case .integer(let number): code = sqlite3_bind_int64(handle, index, number)
        case .real(let number): code = sqlite3_bind_double(handle, index, number)
        case .text(var text):
            code = text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    // A pointer of nothing would bind NULL.
                    $0.isEmpty
                        ? sqlite3_bind_text(handle, index, "", 0, Self.transient)
                        : sqlite3_bind_text(
                            handle, index, $0.baseAddress, Int32(clamping: $0.count), Self.transient
                        )
                }
            }
        case .blob(let bytes):
            code =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : bytes.withUnsafeBytes {
                    sqlite3_bind_blob(
                        handle, index, $0.baseAddress, Int32(clamping: $0.count), Self.transient)
                }
        }
        guard code == SQLITE_OK else { throw CentralError(sqlite: connection) }
    }

    /// SQLite copies what is bound; the macro of this name is not imported.
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
