import GRDB
import GRDBSQLite
import MoorageCore

/// A statement on SQLite's C API: two thirds of the cost of GRDB's for a row.
///
/// GRDB's observers do not see what it writes: the caller tells them.
final class RawStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    /// What finalizes the statement, when that is not this object.
    private let owner: Statement?
    private let giveBack: () -> Void
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    init(_ db: Database, _ sql: String) throws {
        let connection = try Self.connection(db)
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw Self.error(connection, code, sql)
        }
        self.handle = handle
        self.connection = connection
        owner = nil
        giveBack = {}
    }

    /// A statement that was used before, as if it were prepared just now: a progress handler, too,
    /// counts its steps from the start.
    ///
    /// - Parameter giveBack: Called when the use is over.
    init(kept statement: Statement, _ db: Database, giveBack: @escaping () -> Void = {}) throws {
        connection = try Self.connection(db)
        handle = statement.sqliteStatement
        owner = statement
        self.giveBack = giveBack
        sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)
    }

    /// A statement of a text that is always the same, kept for the life of the connection. It is run
    /// to its end before anyone asks for it again.
    static func fixed(_ db: Database, _ sql: String) throws -> RawStatement {
        try RawStatement(kept: db.cachedStatement(sql: sql), db)
    }

    deinit {
        if owner == nil {
            sqlite3_finalize(handle)
        } else {
            // A read that was broken off would hold its snapshot, and what is bound its memory.
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
            giveBack()
        }
    }

    private static func connection(_ db: Database) throws -> OpaquePointer {
        guard let connection = db.sqliteConnection else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the connection is closed")
        }
        return connection
    }

    private static func error(_ connection: OpaquePointer, _ code: Int32, _ sql: String?)
        -> DatabaseError
    {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: String(cString: sqlite3_errmsg(connection)), sql: sql)
    }

    /// Binds a value to the parameter `?index`, text and blobs by length.
    func bind(_ value: Value, at index: Int) throws {
        let index = Int32(index)
        let code: Int32
        switch value {
        case .null: code = sqlite3_bind_null(handle, index)
        case .integer(let number): code = sqlite3_bind_int64(handle, index, number)
        case .real(let number): code = sqlite3_bind_double(handle, index, number)
        case .text(var text):
            code = text.withUTF8 { bytes in
                guard let start = bytes.baseAddress, bytes.count > 0 else {
                    return sqlite3_bind_text(handle, index, "", 0, Self.transient)
                }
                return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                    sqlite3_bind_text64(
                        handle, index, $0, UInt64(bytes.count), Self.transient, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes):
            code =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : bytes.withUnsafeBytes {
                    sqlite3_bind_blob64(
                        handle, index, $0.baseAddress, UInt64($0.count), Self.transient)
                }
        }
        guard code == SQLITE_OK else { throw Self.error(connection, code, nil) }
    }

    /// Binds a value out of a page's column, without making one of it.
    func bind(_ column: ValueColumn, row: Int, at index: Int) throws {
        let kind = column.kinds[row]
        guard kind == .text || kind == .blob else { return try bind(column[row], at: index) }
        let range = column.byteRange(row)
        guard !range.isEmpty else { return try bind(column[row], at: index) }
        let code = column.bytes.withUnsafeBytes { bytes in
            let start = UnsafeRawBufferPointer(rebasing: bytes[range]).baseAddress
            return kind == .text
                ? sqlite3_bind_text64(
                    handle, Int32(index), start?.assumingMemoryBound(to: CChar.self),
                    UInt64(range.count), Self.transient, UInt8(SQLITE_UTF8))
                : sqlite3_bind_blob64(
                    handle, Int32(index), start, UInt64(range.count), Self.transient)
        }
        guard code == SQLITE_OK else { throw Self.error(connection, code, nil) }
    }

    /// Binds what a column held as it was, text that is not UTF-8 too.
    func bind(_ form: StoredValueForm, at index: Int) throws {
        guard case .invalidText(let bytes) = form else { return try bind(form.value, at: index) }
        let code = bytes.withUnsafeBytes {
            sqlite3_bind_text64(
                handle, Int32(index), $0.bindMemory(to: CChar.self).baseAddress,
                UInt64($0.count), Self.transient, UInt8(SQLITE_UTF8))
        }
        guard code == SQLITE_OK else { throw Self.error(connection, code, nil) }
    }

    func bind(_ values: [Value], from first: Int = 1) throws {
        for (offset, value) in values.enumerated() { try bind(value, at: first + offset) }
    }

    /// Goes to the next row; `false` at the end, where the statement can be used again.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        let error = code == SQLITE_DONE ? nil : Self.error(connection, code, nil)
        sqlite3_reset(handle)
        if let error { throw error }
        return false
    }

    /// Runs a statement that answers nothing, or whose answer does not matter.
    func run(_ values: [Value] = []) throws {
        try bind(values)
        while try step() {}
    }

    /// The first row's columns, or `nil` when there is no row.
    func first(_ values: [Value]) throws -> [StoredValueForm]? {
        try bind(values)
        guard try step() else { return nil }
        defer { reset() }
        return (0..<columnCount).map(column)
    }

    /// The first column of the first row as an integer.
    func firstInteger(_ values: [Value] = []) throws -> Int64? {
        try bind(values)
        defer { reset() }
        return try step() ? integer(0) : nil
    }

    /// The first column of the first row as text.
    func firstText(_ values: [Value]) throws -> String? {
        try bind(values)
        defer { reset() }
        return try step() ? text(0) : nil
    }

    /// Whether there is a row.
    func exists(_ values: [Value]) throws -> Bool {
        try bind(values)
        defer { reset() }
        return try step()
    }

    func reset() { sqlite3_reset(handle) }

    /// A column as an integer, whatever SQLite stores it as; `nil` for NULL.
    private func integer(_ index: Int) -> Int64? {
        sqlite3_column_type(handle, Int32(index)) == SQLITE_NULL
            ? nil : sqlite3_column_int64(handle, Int32(index))
    }

    /// A column as text, whatever SQLite stores it as; `nil` for NULL.
    private func text(_ index: Int) -> String? {
        sqlite3_column_text(handle, Int32(index)).map { String(cString: $0) }
    }

    var columnCount: Int { Int(sqlite3_column_count(handle)) }

    func column(_ index: Int) -> StoredValueForm {
        let index = Int32(index)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .value(.integer(sqlite3_column_int64(handle, index)))
        case SQLITE_FLOAT: return .value(.real(sqlite3_column_double(handle, index)))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, index) else { return .value(.text("")) }
            let count = Int(sqlite3_column_bytes(handle, index))
            let bytes = UnsafeBufferPointer(start: start, count: count)
            if let text = String(exactly: bytes) { return .value(.text(text)) }
            return .invalidText(Array(bytes))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, index) else { return .value(.blob([])) }
            let count = Int(sqlite3_column_bytes(handle, index))
            return .value(.blob(Array(UnsafeRawBufferPointer(start: start, count: count))))
        default: return .value(.null)
        }
    }
}

/// What a stored column holds. SQLite takes any bytes for text.
enum StoredValueForm: Hashable, Sendable {
    case value(Value)
    /// Text that is not UTF-8.
    case invalidText([UInt8])

    /// The value; bytes that are no text come as a blob, which no text equals.
    var value: Value {
        switch self {
        case .value(let value): value
        case .invalidText(let bytes): .blob(bytes)
        }
    }
}

/// The statements of one transaction, each prepared once, or lent by the connection.
final class RawStatements {
    let db: Database
    private let kept: KeptStatements
    private var statements = ByBytes<RawStatement>()

    init(_ db: Database, kept: KeptStatements) {
        self.db = db
        self.kept = kept
    }

    /// A statement of a text that names tables and columns, and comes again in every transaction.
    func callAsFunction(_ sql: String) throws -> RawStatement {
        try statement(sql) { try own(sql) }
    }

    /// A statement for one use alone: others of the same text may run while it stands.
    func own(_ sql: String) throws -> RawStatement {
        try kept.lend(db, sql) ?? RawStatement(db, sql)
    }

    /// A statement whose text depends on the rows at hand: there may be any number of them.
    func passing(_ sql: String) throws -> RawStatement {
        try statement(sql) { try RawStatement(db, sql) }
    }

    private func statement(_ sql: String, _ make: () throws -> RawStatement) rethrows
        -> RawStatement
    {
        if let statement = statements[sql] { return statement }
        let statement = try make()
        statements[sql] = statement
        return statement
    }
}
