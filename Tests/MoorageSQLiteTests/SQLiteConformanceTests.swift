import Foundation
import GRDB
import MoorageHub
import MoorageSQLite
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `The SQLite connector` {
    @Test(arguments: ConnectorConformance.checks)
    func `honours the connector contract`(check: ConnectorConformance.Check) throws {
        try TemporaryFile.with { path in
            try check.run(against: SQLiteSubject(path: path))
        }
    }
}

/// A SQLite file, and other programs that write to it.
struct SQLiteSubject: ConformanceSubject {
    let path: String
    let database: any CentralDatabase

    init(path: String) throws {
        self.path = path
        database = try SQLiteDatabase(path: path)
    }

    func openSession() throws -> any OwnerSession { try SQLiteSession(path: path) }
}

/// Another program's connection.
final class SQLiteSession: OwnerSession {
    private let queue: DatabaseQueue

    init(path: String) throws {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        configuration.busyMode = .timeout(2)
        queue = try DatabaseQueue(path: path, configuration: configuration)
        try execute("PRAGMA journal_mode = WAL")
    }

    func execute(_ sql: String) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }
}

/// A file that is removed with its companions when the work is done.
enum TemporaryFile {
    static func with(_ work: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "moorage-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try work(folder.appending(path: "central.sqlite").path)
    }
}
