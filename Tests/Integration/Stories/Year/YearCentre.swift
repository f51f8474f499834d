import GRDB
import Logging
import MoorageHub
import MoorageSQLite
import MoorageTesting

/// The central database of a year, whose months the story lets pass.
protocol YearCentre: AnyObject {
    var kind: CentreKind { get }
    /// The hub on the database as it is now.
    var hub: Hub { get }
    /// Runs the owner's statements.
    func execute(_ statements: [String]) throws
    /// Rows as text.
    func texts(_ sql: String) throws -> [[String?]]
    /// Lets time pass.
    func advance(_ milliseconds: Int64) throws
    func close() throws
}

/// A central database that its owner backs up and restores.
protocol RestorableCentre: YearCentre {
    func backUp() throws
    /// Brings the last backup back. The hub is another process then.
    func restore() throws
}

extension YearCentre {
    /// A hub as every year has it: retention is 90 days, in steps that a story of a few days each
    /// month can reach.
    static func makeHub(on database: any CentralDatabase) -> Hub {
        Hub(
            database: database,
            configuration: HubConfiguration(
                retention: RetentionPolicy(time: .seconds(90 * 86_400), steps: 9)),
            logger: Logger(label: "year") { _ in SwiftLogNoOpLogHandler() })
    }

    func table(_ name: String, _ columns: [String]) throws -> [String: [String?]] {
        let list = columns.map { ", \($0)" }.joined()
        return Dictionary(
            try texts("SELECT id\(list) FROM \(name)").compactMap { row in
                row[0].map { ($0, Array(row.dropFirst())) }
            }, uniquingKeysWith: { first, _ in first })
    }
}

/// A SQLite database in memory. Its clock is the story's.
final class SQLiteYearCentre: RestorableCentre {
    let kind = CentreKind.sqlite
    private let disk: SimulatedDisk
    private var queue: DatabaseQueue
    private var backup: DatabaseQueue?
    private(set) var hub: Hub

    init(clock: Int64) throws {
        disk = try SimulatedDisk(seed: 1)
        disk.clock = clock
        queue = try disk.memory()
        hub = Self.makeHub(on: SQLiteDatabase(queue: queue))
    }

    func execute(_ statements: [String]) throws {
        try queue.writeWithoutTransaction { db in
            for statement in statements { try db.execute(sql: statement) }
        }
    }

    func texts(_ sql: String) throws -> [[String?]] {
        try queue.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { $0.isNull ? nil : $0.ownerText }
            }
        }
    }

    func advance(_ milliseconds: Int64) { disk.clock += milliseconds }

    func backUp() throws {
        let copy = try DatabaseQueue()
        try queue.backup(to: copy)
        backup = copy
    }

    func restore() throws {
        guard let backup else { throw NoBackup() }
        let copy = try disk.memory()
        try backup.backup(to: copy)
        queue = copy
        hub = Self.makeHub(on: SQLiteDatabase(queue: queue))
    }

    func close() throws { try queue.close() }
}

struct NoBackup: Error {}
