import CPostgres
import Foundation
import MoorageCore

/// The owner's session on PostgreSQL, on plain libpq and without Moorage.
///
/// Unchecked: the lock guards every use of the connection.
final class PostgresSession: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String

        /// Other sessions use what the statement needs for itself (55006).
        var isInUse: Bool { description.contains("is being accessed by other users") }
    }

    private let lock = NSLock()
    private let connection: OpaquePointer?

    init(url: String) throws {
        connection = PQconnectdb(url)
        guard PQstatus(connection) == CONNECTION_OK else {
            throw Failure(description: String(cString: PQerrorMessage(connection)))
        }
        // Notices are for a person at a terminal.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
    }

    deinit { PQfinish(connection) }

    /// Runs statements one after the other, and returns the rows of the last one as text.
    @discardableResult
    func query(_ sql: String) throws -> [[String?]] {
        try lock.withLock { try rows(PQexec(connection, sql), sql) }
    }

    /// Runs one statement with values for `$1`, `$2` and so on. The server takes their types from
    /// the columns.
    @discardableResult
    func query(_ sql: String, _ values: [Value]) throws -> [[String?]] {
        let texts = values.map(Self.text)
        return try lock.withLock {
            var pointers: [UnsafePointer<CChar>?] = []
            let copies = texts.map { text in text.flatMap { strdup($0) } }
            defer { for copy in copies { free(copy) } }
            for copy in copies { pointers.append(UnsafePointer(copy)) }
            return try rows(
                PQexecParams(connection, sql, Int32(values.count), nil, pointers, nil, nil, 0), sql)
        }
    }

    private func rows(_ result: OpaquePointer?, _ sql: String) throws -> [[String?]] {
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            throw Failure(
                description: String(cString: PQresultErrorMessage(result)) + " in: "
                    + String(sql.prefix(200)))
        }
        return (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0 else { return nil }
                return String(cString: PQgetvalue(result, row, column))
            }
        }
    }

    private static func text(_ value: Value) -> String? {
        switch value {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): text
        case .blob(let bytes): "\\x" + Hex.text(bytes)
        }
    }
}

/// Bytes as hexadecimal digits.
enum Hex {
    static func text(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            result.append(digits[Int(byte >> 4)])
            result.append(digits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func bytes(_ text: Substring) -> [UInt8] {
        let digits = text.utf8.map { digit -> UInt8 in
            digit <= UInt8(ascii: "9") ? digit - UInt8(ascii: "0") : digit - UInt8(ascii: "a") + 10
        }
        return stride(from: 0, to: digits.count - 1, by: 2).map {
            digits[$0] << 4 | digits[$0 + 1]
        }
    }
}
