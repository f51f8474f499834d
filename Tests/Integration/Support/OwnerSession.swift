import Foundation
import GRDB

/// One of the owner's sessions on a central database, with plain SQL and without Moorage. One
/// thread at a time uses it.
protocol OwnerSession: AnyObject {
    /// Runs one statement, or several at once.
    ///
    /// - Returns: The last one's rows as text, with NULL as `∅`.
    @discardableResult
    func run(_ sql: String) throws -> [[String]]
}

extension OwnerSession {
    /// The number in the first column of the first row, or 0 without rows.
    func number(_ sql: String) throws -> Int { try run(sql).first?.first.flatMap { Int($0) } ?? 0 }
}

/// A database's error for one of the owner's statements.
protocol OwnerFailure: Error {
    /// Whether programs that share their rows have to expect the error. Expected are deadlocks,
    /// serialization failures, long locks, and constraints that another program's row breaks.
    var isExpected: Bool { get }
}

extension DatabaseError: OwnerFailure {
    var isExpected: Bool {
        [.SQLITE_BUSY, .SQLITE_CONSTRAINT].contains(resultCode.primaryResultCode)
    }
}

/// A session on a SQLite file.
final class SQLiteSession: OwnerSession {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        configuration.allowsUnsafeTransactions = true
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func run(_ sql: String) throws -> [[String]] {
        try queue.writeWithoutTransaction { db in
            var rows: [[String]] = []
            let statements = try db.allStatements(sql: sql)
            while let statement = try statements.next() {
                rows = try Row.fetchAll(statement).map { $0.databaseValues.map(\.ownerText) }
            }
            return rows
        }
    }
}

extension DatabaseValue {
    /// The value as ``OwnerSession/run(_:)`` returns it.
    var ownerText: String {
        switch storage {
        case .null: "∅"
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .string(let text): text
        case .blob(let data): "\(Array(data))"
        }
    }
}
