import CMariaDB
import Foundation
import MoorageCore

/// Another program's libmariadb connection, without Moorage.
///
/// Unchecked: the lock guards every use of the connection.
final class MySQLLink: OwnerSession, @unchecked Sendable {
    struct Failure: OwnerFailure, CustomStringConvertible {
        /// The error number of the server or the library.
        let code: UInt32
        let description: String

        var isExpected: Bool {
            // Deadlock, lock time-out, a row that changed since the snapshot, and constraints.
            [1213, 1205, 1020, 1062, 1451, 1452, 1048, 1364, 4025].contains(code)
        }

        /// Also expected: a connection that broke, and a server that goes down or starts.
        var isExpectedUnderFire: Bool {
            isExpected || (2000..<3000).contains(code)
                || [1040, 1053, 1152, 1158, 1159, 1160, 1161, 1317, 1927].contains(code)
        }
    }

    private let lock = NSLock()
    private let handle: UnsafeMutablePointer<MYSQL>?

    /// The library must be started before threads use it.
    private static let startLibrary: Void = { _ = mysql_server_init(0, nil, nil) }()

    /// - Parameter url: `mysql://user:password@host:port/database`.
    init(url: String) throws {
        Self.startLibrary
        guard let parts = URLComponents(string: url), let host = parts.host else {
            throw Failure(code: 0, description: "no URL")
        }
        handle = mysql_init(nil)
        var seconds: UInt32 = 10
        mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &seconds)
        mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4")
        guard
            mysql_real_connect(
                handle, host, parts.user, parts.password, String(parts.path.dropFirst()),
                UInt32(clamping: parts.port ?? 3306), nil, UInt(CLIENT_MULTI_STATEMENTS)) != nil
        else { throw failure("connecting") }
        // Names in double quotes, and `||` for texts, as the tests write their SQL.
        try run(
            """
            SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,STRICT_ALL_TABLES',
              time_zone = '+00:00', innodb_lock_wait_timeout = 20
            """)
    }

    deinit { mysql_close(handle) }

    @discardableResult
    func run(_ sql: String) throws -> [[String]] {
        try query(sql).map { row in row.map { $0 ?? "∅" } }
    }

    /// The same with NULL as `nil`.
    func query(_ sql: String) throws -> [[String?]] {
        try lock.withLock {
            var sql = sql
            let isSent = sql.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    mysql_real_query(handle, $0.baseAddress, UInt($0.count)) == 0
                }
            }
            guard isSent else { throw failure(sql) }
            var rows: [[String?]] = []
            while true {
                if let result = mysql_store_result(handle) {
                    rows = Self.rows(result)
                    mysql_free_result(result)
                } else if mysql_field_count(handle) != 0 {
                    throw failure(sql)
                }
                let next = mysql_next_result(handle)
                if next < 0 { return rows }
                guard next == 0 else { throw failure(sql) }
            }
        }
    }

    private static func rows(_ result: UnsafeMutablePointer<MYSQL_RES>) -> [[String?]] {
        let columns = Int(mysql_num_fields(result))
        var rows: [[String?]] = []
        while let row = mysql_fetch_row(result), let lengths = mysql_fetch_lengths(result) {
            rows.append(
                (0..<columns).map { column in
                    row[column].map { start in
                        let bytes = UnsafeRawBufferPointer(
                            start: start, count: Int(lengths[column]))
                        return String(decoding: bytes, as: UTF8.self)
                    }
                })
        }
        return rows
    }

    private func failure(_ sql: String) -> Failure {
        Failure(
            code: mysql_errno(handle),
            description: "\(String(cString: mysql_error(handle))) in: \(sql.prefix(300))")
    }

    /// A value as SQL writes it, in every mode.
    static func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): String(number)
        // A bare number in the SQL would lose bits. The server reads a quoted one exactly.
        case .real(let number): "'\(number.description)'"
        case .text(let text): "CONVERT(X'\(Hex.text(Array(text.utf8)))' USING utf8mb4)"
        case .blob(let bytes): "X'\(Hex.text(bytes))'"
        }
    }
}
