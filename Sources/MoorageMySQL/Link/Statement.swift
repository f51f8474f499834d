import CMariaDB
import MoorageCore

/// A prepared statement of a ``Link``.
final class Statement {
    private let handle: UnsafeMutablePointer<MYSQL_STMT>

    /// - Returns: `nil` when there is no memory for it.
    init?(on connection: UnsafeMutablePointer<MYSQL>?) {
        guard let handle = mysql_stmt_init(connection) else { return nil }
        self.handle = handle
    }

    deinit { mysql_stmt_close(handle) }

    /// The error of reading an answer. Freeing the partial answer clears the error in the handle.
    private var readError: (code: UInt32, state: String, message: String)?

    /// The code and SQL state of what failed last.
    var error: (code: UInt32, state: String, message: String) { readError ?? handleError }

    private var handleError: (code: UInt32, state: String, message: String) {
        (
            mysql_stmt_errno(handle), String(cString: mysql_stmt_sqlstate(handle)),
            String(cString: mysql_stmt_error(handle))
        )
    }

    func prepare(_ sql: String) -> Bool {
        var sql = sql
        let isPrepared = sql.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                mysql_stmt_prepare(handle, characters.baseAddress, UInt(characters.count)) == 0
            }
        }
        guard isPrepared else { return false }
        // The library stores a result and computes its columns' widths before the rows are read.
        var isOn: my_bool = 1
        return mysql_stmt_attr_set(handle, STMT_ATTR_UPDATE_MAX_LENGTH, &isOn) == 0
    }

    /// - Parameter rows: How many rows the parameters have; more than one are an array.
    /// - Returns: Whether it ran.
    func execute(_ parameters: Parameters, rows: Int = 1, isArray: Bool = false) -> Bool {
        readError = nil
        if isArray {
            var size = UInt32(clamping: rows)
            guard mysql_stmt_attr_set(handle, STMT_ATTR_ARRAY_SIZE, &size) == 0 else {
                return false
            }
        }
        return parameters.withBinds(isArray: isArray) { binds in
            if let binds, mysql_stmt_bind_param(handle, binds) != 0 { return false }
            return mysql_stmt_execute(handle) == 0
        }
    }

    /// All rows of the answer; `nil` when it could not be read.
    ///
    /// - Parameter kinds: How to read the first columns. The server's declarations decide for the
    ///   others.
    func result(_ kinds: [ResultKind]) -> QueryResult? {
        guard let metadata = mysql_stmt_result_metadata(handle) else {
            guard mysql_stmt_field_count(handle) == 0 else { return nil }
            return QueryResult(
                columns: [], rowCount: 0,
                changedRows: Int(clamping: mysql_stmt_affected_rows(handle)))
        }
        defer { mysql_free_result(metadata) }
        defer { mysql_stmt_free_result(handle) }
        // The server reports a lock timeout or a deadlock after the answer has begun.
        guard mysql_stmt_store_result(handle) == 0 else {
            readError = handleError
            return nil
        }
        let count = Int(mysql_num_fields(metadata))
        let rowCount = Int(clamping: mysql_stmt_num_rows(handle))
        guard let fields = mysql_fetch_fields(metadata), count > 0 else {
            return QueryResult.none
        }
        let cells = (0..<count).map { column in
            Cell(
                column < kinds.count ? kinds[column] : Self.kind(of: fields[column]),
                width: Int(clamping: fields[column].max_length))
        }
        var columns = Array(repeating: ValueColumn(), count: count)
        for column in columns.indices { columns[column].reserve(rowCount) }
        let binds = UnsafeMutablePointer<MYSQL_BIND>.allocate(capacity: count)
        binds.initialize(repeating: MYSQL_BIND(), count: count)
        defer { binds.deallocate() }
        for (place, cell) in cells.enumerated() { cell.bind(binds + place) }
        guard mysql_stmt_bind_result(handle, binds) == 0 else { return nil }
        while true {
            switch mysql_stmt_fetch(handle) {
            case 0:
                for (place, cell) in cells.enumerated() { cell.append(to: &columns[place]) }
            case MYSQL_NO_DATA: return QueryResult(columns: columns, rowCount: columns[0].count)
            default:
                readError = handleError
                return nil
            }
        }
    }

    private static func kind(of field: MYSQL_FIELD) -> ResultKind {
        switch field.type {
        case MYSQL_TYPE_TINY, MYSQL_TYPE_SHORT, MYSQL_TYPE_LONG, MYSQL_TYPE_INT24,
            MYSQL_TYPE_LONGLONG, MYSQL_TYPE_YEAR:
            field.flags & UInt32(UNSIGNED_FLAG) != 0 ? .unsigned : .integer
        // A decimal without fraction digits is a sum of integers.
        case MYSQL_TYPE_NEWDECIMAL where field.decimals == 0: .integer
        case MYSQL_TYPE_FLOAT, MYSQL_TYPE_DOUBLE: .real
        // 63 is the server's number of the collation `binary`, which blobs and binary strings have.
        case MYSQL_TYPE_TINY_BLOB, MYSQL_TYPE_MEDIUM_BLOB, MYSQL_TYPE_LONG_BLOB, MYSQL_TYPE_BLOB,
            MYSQL_TYPE_VAR_STRING, MYSQL_TYPE_STRING:
            field.charsetnr == 63 ? .blob : .text
        default: .text
        }
    }

    /// The buffer for one column of the row that is being read.
    private final class Cell {
        private let kind: ResultKind
        private let width: Int
        private let buffer: UnsafeMutableRawPointer
        private let length = UnsafeMutablePointer<UInt>.allocate(capacity: 1)
        private let isNull = UnsafeMutablePointer<my_bool>.allocate(capacity: 1)

        init(_ kind: ResultKind, width: Int) {
            self.kind = kind
            self.width = max(8, width)
            buffer = .allocate(byteCount: self.width, alignment: 8)
            length.initialize(to: 0)
            isNull.initialize(to: 0)
        }

        deinit {
            buffer.deallocate()
            length.deallocate()
            isNull.deallocate()
        }

        func bind(_ bind: UnsafeMutablePointer<MYSQL_BIND>) {
            let type =
                switch kind {
                case .integer, .unsigned: MYSQL_TYPE_LONGLONG
                case .real: MYSQL_TYPE_DOUBLE
                case .text: MYSQL_TYPE_STRING
                case .blob: MYSQL_TYPE_BLOB
                }
            moorage_bind_result(bind, type, buffer, UInt(width), length, isNull)
            if kind == .unsigned { bind.pointee.is_unsigned = 1 }
        }

        func append(to column: inout ValueColumn) {
            guard isNull.pointee == 0 else { return column.appendNull() }
            switch kind {
            case .integer: column.append(buffer.load(as: Int64.self))
            case .unsigned:
                let number = buffer.load(as: UInt64.self)
                if let number = Int64(exactly: number) {
                    column.append(number)
                } else {
                    column.append(.text(String(number)))
                }
            case .real: column.append(buffer.load(as: Double.self))
            case .text:
                column.append(
                    text: UnsafeRawBufferPointer(
                        start: buffer, count: min(width, Int(clamping: length.pointee))))
            case .blob:
                column.append(
                    blob: UnsafeRawBufferPointer(
                        start: buffer, count: min(width, Int(clamping: length.pointee))))
            }
        }
    }
}
