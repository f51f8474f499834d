import GRDBSQLite
package import MoorageCore

/// A prepared statement on SQLite's C interface. It binds and reads text and blobs by their length,
/// including any NUL. Functions return SQLite's result codes, and the owner turns them into errors.
package struct StatementHandle {
    private let handle: OpaquePointer

    /// - Parameter handle: A `sqlite3_stmt` that somebody else finalizes.
    package init(_ handle: OpaquePointer) { self.handle = handle }

    /// Moves to the next row, or to the end.
    package func step() -> Int32 { sqlite3_step(handle) }

    package func reset() { sqlite3_reset(handle) }

    package func clearBindings() { sqlite3_clear_bindings(handle) }

    /// Resets the step count. A progress handler then starts over, too.
    package func resetStepCount() { sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1) }

    // MARK: Binding

    /// Makes SQLite copy what is bound. Swift does not import the macro of this name.
    private static var transient: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    /// Binds a value to the parameter `?index`.
    package func bind(_ value: Value, at index: Int) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(handle, Int32(index))
        case .integer(let number): sqlite3_bind_int64(handle, Int32(index), number)
        case .real(let number): sqlite3_bind_double(handle, Int32(index), number)
        case .text(var text): text.withUTF8 { bindText(UnsafeRawBufferPointer($0), at: index) }
        case .blob(let bytes): bytes.withUnsafeBytes { bindBlob($0, at: index) }
        }
    }

    /// Binds a value of a page's column without making a ``Value`` from it.
    package func bind(_ column: ValueColumn, row: Int, at index: Int) -> Int32 {
        let kind = column.kinds[row]
        guard kind == .text || kind == .blob else { return bind(column[row], at: index) }
        let range = column.byteRange(row)
        return column.bytes.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[range])
            return kind == .text ? bindText(part, at: index) : bindBlob(part, at: index)
        }
    }

    /// Binds what a column had as it was, including text that is not UTF-8.
    package func bind(_ form: StoredValueForm, at index: Int) -> Int32 {
        switch form {
        case .value(let value): bind(value, at: index)
        case .invalidText(let bytes): bytes.withUnsafeBytes { bindText($0, at: index) }
        }
    }

    private func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int32 {
        // A null pointer would bind NULL.
        guard !bytes.isEmpty, let start = bytes.baseAddress else {
            return sqlite3_bind_text(handle, Int32(index), "", 0, Self.transient)
        }
        return sqlite3_bind_text64(
            handle, Int32(index), start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
            Self.transient, UInt8(SQLITE_UTF8))
    }

    private func bindBlob(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int32 {
        guard !bytes.isEmpty, let start = bytes.baseAddress else {
            return sqlite3_bind_zeroblob(handle, Int32(index), 0)
        }
        return sqlite3_bind_blob64(
            handle, Int32(index), start, UInt64(bytes.count), Self.transient)
    }

    // MARK: Reading

    package var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// A column of the statement's current row.
    package func column(_ index: Int) -> StoredValueForm {
        let index = Int32(index)
        switch sqlite3_column_type(handle, index) {
        case SQLITE_INTEGER: return .value(.integer(sqlite3_column_int64(handle, index)))
        case SQLITE_FLOAT: return .value(.real(sqlite3_column_double(handle, index)))
        case SQLITE_TEXT:
            guard let start = sqlite3_column_text(handle, index) else { return .value(.text("")) }
            let count = Int(sqlite3_column_bytes(handle, index))
            let bytes = UnsafeBufferPointer(start: start, count: count)
            // Text that is not UTF-8 is returned as its bytes. Nothing is repaired.
            return String(exactly: bytes).map { .value(.text($0)) } ?? .invalidText(Array(bytes))
        case SQLITE_BLOB:
            guard let start = sqlite3_column_blob(handle, index) else { return .value(.blob([])) }
            let count = Int(sqlite3_column_bytes(handle, index))
            return .value(.blob(Array(UnsafeRawBufferPointer(start: start, count: count))))
        default: return .value(.null)
        }
    }

    /// Hashes the stored form of a column: its type and its bytes.
    package func hash(_ index: Int, into hasher: inout Hasher) {
        let index = Int32(index)
        let type = sqlite3_column_type(handle, index)
        hasher.combine(type)
        func combine(_ start: UnsafeRawPointer?) {
            // Without memory SQLite returns no text.
            let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, index))
            hasher.combine(count)
            hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: count))
        }
        switch type {
        case SQLITE_INTEGER: hasher.combine(sqlite3_column_int64(handle, index))
        case SQLITE_FLOAT: hasher.combine(sqlite3_column_double(handle, index).bitPattern)
        case SQLITE_TEXT: combine(sqlite3_column_text(handle, index))
        case SQLITE_BLOB: combine(sqlite3_column_blob(handle, index))
        default: break
        }
    }

    /// A column as an integer, whatever SQLite stores it as; `nil` for NULL.
    package func integer(_ index: Int) -> Int64? {
        sqlite3_column_type(handle, Int32(index)) == SQLITE_NULL
            ? nil : sqlite3_column_int64(handle, Int32(index))
    }

    /// A column as text, whatever SQLite stores it as; `nil` for NULL.
    package func text(_ index: Int) -> String? {
        sqlite3_column_text(handle, Int32(index)).map { String(cString: $0) }
    }
}
