import Moorage
import MoorageCore

/// Apps that subscribe to areas, and end that.
extension Simulation {
    func subscribe(
        _ device: SimulatedDevice, to area: String, _ priority: ScopePriority, timeToLive: Int64?
    ) throws {
        // Nothing of a wiped device is synced any more.
        if device.isWiped { return }
        reach(.subscribed)
        let isNew = try device.subscribe(to: area, priority, timeToLive: timeToLive)
        let wanted = StoredSubscription(
            scope: SimulatedScopes.scope(of: area), priority: priority, timeToLive: timeToLive,
            endsAt: timeToLive.map { device.machine.now + $0 })
        guard try device.storedSubscriptions().contains(wanted) else {
            throw Violation(
                .subscriptions, "device \(device.number) does not keep the subscription \(wanted)")
        }
        if isNew { try request(by: device) }
    }

    func unsubscribe(_ device: SimulatedDevice, from area: String) throws {
        guard try device.unsubscribe(from: area) else { return }
        reach(.unsubscribed)
        let scope = SimulatedScopes.scope(of: area)
        guard try !device.storedSubscriptions().contains(where: { $0.scope == scope }) else {
            throw Violation(
                .subscriptions, "device \(device.number) keeps the subscription to \(scope.name)")
        }
        try request(by: device)
    }
}
