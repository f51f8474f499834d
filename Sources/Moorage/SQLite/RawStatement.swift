import GRDB
import GRDBSQLite
import MoorageCore
import SQLiteSupport

/// A statement on SQLite's C API: two thirds of the cost of GRDB's for a row.
///
/// GRDB's observers do not see what it writes: the caller tells them.
final class RawStatement {
    private let handle: StatementHandle
    private let connection: OpaquePointer
    /// What finalizes the statement.
    private let owner: Statement
    private let giveBack: () -> Void

    /// GRDB prepares it, too. GRDB records which columns a statement reads, and forgets them before
    /// it prepares the next one. Without GRDB these records add up: each column then costs a copy
    /// of all tables that were read before.
    convenience init(_ db: Database, _ sql: String) throws {
        try self.init(prepared: db.makeStatement(sql: sql), db)
    }

    /// A statement that was used before, as if it were prepared just now: a progress handler also
    /// counts its steps from the start.
    ///
    /// - Parameter giveBack: Called when the use is over.
    init(prepared statement: Statement, _ db: Database, giveBack: @escaping () -> Void = {}) throws
    {
        connection = try Self.connection(db)
        handle = StatementHandle(statement.sqliteStatement)
        owner = statement
        self.giveBack = giveBack
        handle.resetStepCount()
    }

    /// A statement with a constant text, kept for the life of the connection. Its caller runs it to
    /// its end before anyone asks for it again.
    static func fixed(_ db: Database, _ sql: String) throws -> RawStatement {
        try RawStatement(prepared: db.cachedStatement(sql: sql), db)
    }

    deinit {
        // An interrupted read would keep its snapshot, and bound values would keep their memory.
        handle.reset()
        handle.clearBindings()
        giveBack()
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
        try check(handle.bind(value, at: index))
    }

    /// Binds a value from a page's column, without a ``Value`` in between.
    func bind(_ column: ValueColumn, row: Int, at index: Int) throws {
        try check(handle.bind(column, row: row, at: index))
    }

    /// Binds the stored form of a column as it was, even text that is not UTF-8.
    func bind(_ form: StoredValueForm, at index: Int) throws {
        try check(handle.bind(form, at: index))
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw Self.error(connection, code, nil) }
    }

    func bind(_ values: [Value], from first: Int = 1) throws {
        for (offset, value) in values.enumerated() { try bind(value, at: first + offset) }
    }

    /// Goes to the next row; `false` at the end, where the statement can be used again.
    func step() throws -> Bool {
        let code = handle.step()
        if code == SQLITE_ROW { return true }
        let error = code == SQLITE_DONE ? nil : Self.error(connection, code, nil)
        handle.reset()
        if let error { throw error }
        return false
    }

    /// Runs a statement that returns nothing, or whose result does not matter.
    func run(_ values: [Value] = []) throws {
        try bind(values)
        while try step() {}
    }

    /// The first row's columns, or `nil` when there is no row.
    func first(_ values: [Value]) throws -> [StoredValueForm]? {
        try bind(values)
        return try row()
    }

    /// The same with the values that are bound already.
    func row() throws -> [StoredValueForm]? {
        guard try step() else { return nil }
        defer { reset() }
        return (0..<columnCount).map(column)
    }

    /// The first column of the first row as an integer.
    func firstInteger(_ values: [Value] = []) throws -> Int64? {
        try bind(values)
        defer { reset() }
        return try step() ? handle.integer(0) : nil
    }

    /// The first column of the first row as text.
    func firstText(_ values: [Value]) throws -> String? {
        try bind(values)
        defer { reset() }
        return try step() ? handle.text(0) : nil
    }

    /// Whether there is a row.
    func exists(_ values: [Value]) throws -> Bool {
        try bind(values)
        defer { reset() }
        return try step()
    }

    func reset() { handle.reset() }

    var columnCount: Int { handle.columnCount }

    func column(_ index: Int) -> StoredValueForm { handle.column(index) }

    /// Hashes the stored form of a column, without making a value from it.
    func hash(_ index: Int, into hasher: inout Hasher) { handle.hash(index, into: &hasher) }
}

/// The statements of one transaction, each prepared once, or lent by the connection.
final class RawStatements {
    let db: Database
    private let cache: StatementCache
    private var statements = ByteKeyedDictionary<RawStatement>()

    init(_ db: Database, cache: StatementCache) {
        self.db = db
        self.cache = cache
    }

    /// A statement whose text names tables and columns, and is the same in every transaction.
    func callAsFunction(_ sql: String) throws -> RawStatement {
        try statement(sql) { try own(sql) }
    }

    /// A statement for one use only: others with the same text may run at the same time.
    func own(_ sql: String) throws -> RawStatement {
        try cache.lend(db, sql) ?? RawStatement(db, sql)
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

extension Database {
    /// Whether a table of the replica's own has a column; `false` without the table.
    func hasColumn(_ column: String, in table: String) throws -> Bool {
        try RawStatement.fixed(self, "SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2")
            .exists([.text(table), .text(column)])
    }
}
