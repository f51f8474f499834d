import GRDBSQLite
import MoorageCore

/// The SQL functions that return values in the form of ``ComparedValue``.
extension ComparedValue {
    /// Makes the function of a type known to a connection, for as long as that is open.
    ///
    /// - Returns: SQLite's result code.
    static func addFunction(for type: ColumnType, to connection: OpaquePointer) -> Int32 {
        sqlite3_create_function_v2(
            connection, function(type), 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
            Unmanaged.passRetained(ComparedType(type)).toOpaque(),
            { context, _, arguments in
                guard let pointer = sqlite3_user_data(context), let argument = arguments?[0] else {
                    return
                }
                let compared = Unmanaged<ComparedType>.fromOpaque(pointer).takeUnretainedValue()
                ComparedValue.answer(
                    ComparedValue.form(ComparedValue.read(argument), compared.type), to: context)
            }, nil, nil,
            { pointer in
                if let pointer { Unmanaged<ComparedType>.fromOpaque(pointer).release() }
            })
    }

    /// Text that is not UTF-8 becomes the blob of its bytes, as in the rows of a query.
    private static func read(_ argument: OpaquePointer) -> Value {
        let count = Int(sqlite3_value_bytes(argument))
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(argument))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(argument))
        case SQLITE_TEXT:
            let bytes = UnsafeBufferPointer(start: sqlite3_value_text(argument), count: count)
            return String(exactly: bytes).map { .text($0) } ?? .blob(Array(bytes))
        case SQLITE_BLOB:
            return .blob(
                Array(
                    UnsafeRawBufferPointer(start: sqlite3_value_blob(argument), count: count)))
        default: return .null
        }
    }

    private static func answer(_ value: Value, to context: OpaquePointer?) {
        // Makes SQLite copy the bytes. Swift does not import the macro of this name.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let number): sqlite3_result_int64(context, number)
        case .real(let number): sqlite3_result_double(context, number)
        case .text(let text):
            sqlite3_result_text(context, text, Int32(clamping: text.utf8.count), transient)
        case .blob(let bytes):
            // A null pointer would be NULL.
            if bytes.isEmpty { return sqlite3_result_zeroblob(context, 0) }
            sqlite3_result_blob(context, bytes, Int32(clamping: bytes.count), transient)
        }
    }
}

/// What a function of ``ComparedValue`` knows.
private final class ComparedType {
    let type: ColumnType

    init(_ type: ColumnType) { self.type = type }
}
