import GRDB
import MoorageCore
import MoorageWire

/// Checks that a device asks the hub for what its app subscribed to, until the time of that is
/// over.
struct SubscriptionOracle {
    private let device: SimulatedDevice
    private let now: Int64
    private let before: [StoredSubscription]

    /// Looks at the file before a request is prepared.
    init(before device: SimulatedDevice) throws {
        self.device = device
        now = device.machine.now
        before = try device.storedSubscriptions()
    }

    /// - Returns: How many subscriptions ended with this request.
    func check(_ requested: [RequestedScope]) throws -> Int {
        let open = before.filter { !$0.isOver(at: now) }
        guard requested == open.map({ RequestedScope($0.scope, priority: $0.priority) }) else {
            throw violation("asks for \(requested), and its file says \(before) at \(now)")
        }
        let after = try device.storedSubscriptions()
        guard after == open.map({ $0.corrected(at: now) }) else {
            throw violation("keeps \(after) after a request at \(now), and had \(before)")
        }
        return before.count - open.count
    }

    private func violation(_ what: String) -> Violation {
        Violation(.subscriptions, "device \(device.number) \(what)")
    }
}

/// A subscription as a device's file has it.
struct StoredSubscription: Hashable, CustomStringConvertible {
    let scope: Scope
    let priority: ScopePriority
    /// In milliseconds; `nil` until the app ends it.
    let timeToLive: Int64?
    /// By the device's clock, in milliseconds since 1970.
    var endsAt: Int64?

    func isOver(at now: Int64) -> Bool { endsAt.map { $0 <= now } ?? false }

    /// After the clock was set back, it lasts no longer than it was meant to.
    func corrected(at now: Int64) -> StoredSubscription {
        var corrected = self
        if let endsAt, let timeToLive { corrected.endsAt = min(endsAt, now + timeToLive) }
        return corrected
    }

    var description: String {
        "\(scope.name) \(priority.rawValue)" + (endsAt.map { " until \($0)" } ?? "")
    }
}

extension SimulatedDevice {
    /// The subscriptions in the file, by the names of their scopes.
    func storedSubscriptions() throws -> [StoredSubscription] {
        try write {
            try $0.rawRows(
                "SELECT scope, priority, ttl, ends_at FROM _moorage_subscription ORDER BY scope")
        }.compactMap { row in
            guard case .text(let scope) = row[0], case .text(let word) = row[1],
                let priority = ScopePriority(rawValue: word)
            else { return nil }
            return StoredSubscription(
                scope: Scope(scope), priority: priority, timeToLive: row[2].number,
                endsAt: row[3].number)
        }
    }
}

extension Value {
    fileprivate var number: Int64? { if case .integer(let number) = self { number } else { nil } }
}
