import GRDB
import MoorageCore
import MoorageWire
import SQLiteSupport

/// The subscriptions, as the file has them.
struct SubscriptionTable {
    let db: Database

    static let name = "_moorage_subscription"
    /// It has row ids, because SQLite tells observers nothing of tables without them.
    static let definition = """
        CREATE TABLE IF NOT EXISTS _moorage_subscription(
          scope TEXT PRIMARY KEY, priority TEXT NOT NULL,
          ttl INTEGER,             -- milliseconds; NULL until it is ended
          ends_at INTEGER,         -- by this device's clock
          available INTEGER        -- whether the hub has the scope; NULL until it was asked
        );
        """

    /// As many as a request may name.
    static let maximumCount = RequestedScope.maximumCount

    struct Entry {
        let scope: String
        let priority: ScopePriority
        let timeToLive: Int64?
        let endsAt: Int64?
        let isAvailable: Bool?

        func isOver(at now: DeviceTime) -> Bool {
            endsAt.map { DeviceTime(milliseconds: $0) <= now } ?? false
        }

        /// When it ends instead, if the clock was set back: no time is longer than it was meant to
        /// be.
        func correctedEnd(at now: DeviceTime) -> DeviceTime? {
            guard let endsAt, let timeToLive, DeviceTime(milliseconds: endsAt) > now + timeToLive
            else { return nil }
            return now + timeToLive
        }
    }

    /// All of them, by name.
    func all() throws -> [Entry] {
        let sql = """
            SELECT scope, priority, ttl, ends_at, available FROM _moorage_subscription ORDER BY scope
            """
        var entries: [Entry] = []
        let statement = try RawStatement.fixed(db, sql)
        while try statement.step() {
            guard case .text(let scope) = statement.column(0).value,
                case .text(let priority) = statement.column(1).value
            else { continue }
            entries.append(
                Entry(
                    scope: scope, priority: ScopePriority(rawValue: priority) ?? .normal,
                    timeToLive: statement.column(2).value.number,
                    endsAt: statement.column(3).value.number,
                    isAvailable: statement.column(4).value.number.map { $0 == 1 }))
        }
        return entries
    }

    /// - Returns: Whether the hub has to be asked: for another scope, or in another order.
    func set(
        _ scope: String, _ priority: ScopePriority, timeToLive: Int64?, now: DeviceTime
    ) throws -> Bool {
        let known = try all()
        let before = known.first { $0.scope.hasSameBytes(as: scope) }
        guard before != nil || known.count < Self.maximumCount else {
            throw ReplicaError.tooManySubscriptions(most: Self.maximumCount)
        }
        try db.execute(
            sql: """
                INSERT INTO _moorage_subscription(scope, priority, ttl, ends_at) VALUES(?, ?, ?, ?)
                ON CONFLICT(scope) DO UPDATE
                SET priority = excluded.priority, ttl = excluded.ttl, ends_at = excluded.ends_at
                """,
            arguments: [
                scope, priority.rawValue, timeToLive, timeToLive.map { (now + $0).milliseconds },
            ])
        return before?.priority != priority
    }

    /// - Returns: Whether it was there.
    func remove(_ scope: String) throws -> Bool {
        try db.execute(
            sql: "DELETE FROM _moorage_subscription WHERE scope = ?", arguments: [scope])
        return db.changesCount > 0
    }

    /// What to ask the hub for now. It forgets those whose time is over.
    func requested(at now: DeviceTime) throws -> [RequestedScope] {
        try all().compactMap { entry in
            if entry.isOver(at: now) {
                _ = try remove(entry.scope)
                return nil
            }
            if let end = entry.correctedEnd(at: now) {
                try db.execute(
                    sql: "UPDATE _moorage_subscription SET ends_at = ? WHERE scope = ?",
                    arguments: [end.milliseconds, entry.scope])
            }
            return RequestedScope(Scope(entry.scope), priority: entry.priority)
        }
    }

    /// Records the hub's answer.
    ///
    /// - Parameter requested: What the request asked for.
    func answered(_ requested: [RequestedScope], unavailable: [Scope]) throws {
        if requested.isEmpty { return }
        let unavailable = Set(unavailable)
        let asked = Set(requested.map(\.scope))
        let update = try db.cachedStatement(
            sql: "UPDATE _moorage_subscription SET available = ? WHERE scope = ?")
        for entry in try all() {
            let scope = Scope(entry.scope)
            let isAvailable = !unavailable.contains(scope)
            guard asked.contains(scope), entry.isAvailable != isAvailable else { continue }
            try update.execute(arguments: [isAvailable, entry.scope])
        }
    }
}

extension Value {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}
