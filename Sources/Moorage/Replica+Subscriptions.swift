public import MoorageCore
import MoorageWire

/// Parts of the data that the app asks for, such as the project that is open on the screen.
///
/// The hub's configuration says which kinds of scopes come only to devices that ask for them
/// (`onRequest`). All other rows that the user may see come by themselves.
extension Replica {
    /// Asks for the rows of a scope from now on, or for rows that come anyway in another order.
    ///
    /// The subscription stays in the file until it ends. A second call for the same scope changes
    /// the priority, and its time to live begins again. The call does not wait for the network:
    /// ``subscriptions`` says when the rows are here. A running replica asks the hub soon, others
    /// ask with the next sync.
    ///
    /// While a first copy is under way, a new subscription begins it again, with the rows of high
    /// priority first.
    ///
    /// - Parameters:
    ///   - scope: The scope's name at the hub, such as `project/42`; 1 to 300 bytes without NUL. `*`
    ///     names all rows that are everyone's.
    ///   - priority: When its rows arrive. A row may refer to rows of a lower priority that are not
    ///     there yet.
    ///   - timeToLive: After this time, at most ten years, the first exchange ends it. A running
    ///     replica exchanges once an hour at least. `nil` keeps it until
    ///     ``unsubscribe(from:)``.
    /// - Throws: ``ReplicaError`` `subscriptionInvalid` for an impossible name or time, or if there
    ///   are 10,000 already. Nothing changes then.
    public func subscribe(
        to scope: String, priority: ScopePriority = .normal, timeToLive: Duration? = nil
    ) async throws {
        let now = clock.time
        let isNew = try await access { db, store in
            try store.subscribe(db, to: scope, priority, timeToLive: timeToLive, now: now)
        }
        if isNew { wakeUp.signal(.request) }
    }

    /// Ends a subscription. If the scope's rows came because of it, the next exchange removes those
    /// that no other scope of the device contains. Changes that are still to send are sent first.
    ///
    /// - Parameter scope: The scope's name. Nothing happens without a subscription to it.
    /// - Throws: ``ReplicaError`` if the file cannot be written.
    public func unsubscribe(from scope: String) async throws {
        let wasThere = try await access { db, store in
            try store.unsubscribe(db, from: scope)
        }
        if wasThere { wakeUp.signal(.request) }
    }

    /// The subscriptions, by the names of their scopes.
    public nonisolated var subscriptions: ReviewList<Subscription> {
        ReviewList(in: database, store, tables: [SubscriptionTable.name]) {
            try $1.subscriptions($0, limit: $2)
        }
    }
}
