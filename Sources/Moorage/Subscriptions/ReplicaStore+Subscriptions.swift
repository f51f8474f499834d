import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

extension ReplicaStore {
    /// - Returns: Whether the hub has to be asked.
    func subscribe(
        _ db: Database, to scope: String, _ priority: ScopePriority, timeToLive: Duration?,
        now: DeviceTime
    ) throws -> Bool {
        // SQLite's texts with a NUL byte end there for some readers.
        guard (1...RequestedScope.maximumNameBytes).contains(scope.utf8.count),
            !scope.utf8.contains(0)
        else {
            throw ReplicaError.noScopeName(most: RequestedScope.maximumNameBytes)
        }
        let time = try timeToLive.map { duration in
            guard duration > .zero, duration <= Self.longestSubscription else {
                throw ReplicaError.impossibleTimeToLive
            }
            return max(1, duration.milliseconds)
        }
        return try transaction(db) { _ in
            try SubscriptionTable(db: db).set(scope, priority, timeToLive: time, now: now)
        }
    }

    private static let longestSubscription = Duration.seconds(10 * 366 * 86_400)

    /// - Returns: Whether there was a subscription.
    func unsubscribe(_ db: Database, from scope: String) throws -> Bool {
        try transaction(db) { _ in try SubscriptionTable(db: db).remove(scope) }
    }

    func subscriptions(_ db: Database, limit: Int) throws -> [Subscription] {
        let entries = try SubscriptionTable(db: db).all()
        let arrival = ScopeArrival(
            cursor: try Metadata(db: db).cursor(),
            schemaVersion: try Metadata(db: db).schema()?.version ?? "",
            priorities: Dictionary(
                entries.map { (Scope($0.scope), $0.priority) }, uniquingKeysWith: { $1 }))
        return entries.prefix(limit).map { entry in
            Subscription(
                scope: entry.scope, priority: entry.priority,
                timeToLive: entry.timeToLive.map { .milliseconds($0) },
                endsAt: entry.endsAt.map { DeviceTime(milliseconds: $0).date },
                state: entry.isAvailable == false
                    ? .unavailable
                    : arrival.isComplete(Scope(entry.scope), entry.priority)
                        ? .complete : .loading)
        }
    }
}

/// Which scopes have arrived, as the cursor says.
private struct ScopeArrival {
    private let cursor: SyncCursor
    private let priorities: [Scope: ScopePriority]
    /// Whether the scan that is under way reads in the order of these priorities.
    private let isInOrder: Bool

    init(cursor: SyncCursor, schemaVersion: String, priorities: [Scope: ScopePriority]) {
        self.cursor = cursor
        self.priorities = priorities
        let scanned = priorities.filter {
            $0.value != .normal && cursor.scan?.scopes.contains($0.key) == true
        }
        isInOrder =
            cursor.scan?.tables[""]?.hasSameBytes(as: schemaVersion + scanned.signature) == true
    }

    func isComplete(_ scope: Scope, _ priority: ScopePriority) -> Bool {
        if cursor.complete.contains(scope) { return true }
        // A scan that has come to a later priority has brought all rows of the earlier ones.
        guard isInOrder, let scan = cursor.scan, let position = scan.position,
            scan.scopes.contains(scope)
        else { return false }
        return priority.pass < (priorities[position.scope] ?? .normal).pass
    }
}
