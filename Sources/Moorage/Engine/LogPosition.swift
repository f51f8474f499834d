import GRDB
import MoorageCore
import MoorageSupport

/// How far the logs reached at some moment. What an app writes later is beyond it.
///
/// - W4: An entry that the replica folds back goes before all others, so it is never beyond.
/// - W5: A log that became shorter uses its numbers again, so the position follows it down.
struct LogPosition: Sendable {
    private var last = ByteKeyedDictionary<Int64>()
    private var logs: [String] = []

    init() {}

    /// - Parameter last: The last entry's number; `nil` for an empty log.
    subscript(log: String) -> Int64? {
        get { last[log] }
        set {
            if last[log] == nil, newValue != nil { logs.append(log) }
            last[log] = newValue
        }
    }

    var isEmpty: Bool { last.isEmpty }

    /// Whether something was written since another position.
    func isBeyond(_ other: LogPosition) -> Bool {
        logs.contains { other.isBefore(last[$0] ?? .min, in: $0) }
    }

    /// Whether an entry was written since this position.
    func isBefore(_ entry: Int64, in log: String) -> Bool { entry > last[log] ?? .min }

    /// Goes down to where the logs end now (W5).
    mutating func lower(to now: LogPosition) {
        for log in logs {
            guard let old = last[log] else { continue }
            last[log] = now[log].map { min($0, old) }
        }
        logs.removeAll { last[$0] == nil }
    }
}

extension ReplicaStore {
    /// - Complexity: O(tables).
    func logPosition(_ db: Database) throws -> LogPosition {
        let statements = RawStatements(db, cache: statementCache)
        var position = LogPosition()
        for table in try load(db).tracked {
            let sql = "SELECT max(seq) FROM \(SQLText.name(table.logTable))"
            guard case .value(.integer(let last))? = try statements(sql).first([])?.first else {
                continue
            }
            position[table.logTable] = last
        }
        return position
    }
}

/// How far a replica has looked at its logs.
final class LogWatermark: Sendable {
    private let position = Locked(LogPosition())

    /// A batch was prepared: what is left in the logs has to wait.
    func advance(_ db: Database, _ store: ReplicaStore) throws {
        let now = try store.logPosition(db)
        position.withLock { $0 = now }
    }

    /// Entries may have been deleted.
    func changed(_ db: Database, _ store: ReplicaStore) throws {
        if position.withLock({ $0.isEmpty }) { return }
        let now = try store.logPosition(db)
        position.withLock { $0.lower(to: now) }
    }

    /// Whether the logs have entries that the replica has not looked at.
    func isBehind(_ db: Database, _ store: ReplicaStore) throws -> Bool {
        let now = try store.logPosition(db)
        return position.withLock { now.isBeyond($0) }
    }

    func isBehind(entry: Int64, in log: String) -> Bool {
        position.withLock { $0.isBefore(entry, in: log) }
    }
}
