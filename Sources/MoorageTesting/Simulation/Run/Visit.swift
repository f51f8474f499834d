import MoorageCore
import MoorageHub
import MoorageWire

/// What the hub knew of the user when it welcomed one request.
final class Visit {
    /// What the user may see; `nil` in a world without scopes.
    fileprivate(set) var visible: VisibleRows?
    /// What of it the device gets.
    fileprivate(set) var delivered: VisibleRows?
    /// The priorities of the scopes that the device gets, except normal ones.
    fileprivate(set) var priorities: [Scope: ScopePriority] = [:]
    /// The tables that the welcome said the hub does not serve; `nil` without a welcome.
    fileprivate(set) var suspended: Set<String>?
    /// What became of the batch.
    var outcomes: [Outcome] = []
    /// Whether the device has applied a page, so that the batch is answered.
    fileprivate var hasArrived = false

    /// Takes a welcome. Checks that the hub names exactly those of the requested scopes that the
    /// user may not see.
    func check(
        _ welcome: Welcome, _ request: ExchangeRequest, _ simulation: Simulation
    ) throws {
        suspended = Set(welcome.suspended.map(\.name))
        guard let seen = visible?.scopes else { return }
        let unavailable = Set(request.scopes.map(\.scope)).subtracting(seen)
        guard Set(welcome.unavailable) == unavailable else {
            throw Violation(
                .subscriptions,
                "unavailable is \(welcome.unavailable.map(\.name)), and \(unavailable.map(\.name).sorted()) must be"
            )
        }
        if !unavailable.isEmpty { simulation.reach(.scopeUnavailable) }
    }
}

extension Simulation {
    /// The hub has read the scopes that the user may see, which apply to the whole exchange.
    func begin(_ visit: Visit, _ request: ExchangeRequest, _ device: SimulatedDevice) throws {
        guard let visible = try VisibleRows(centre, of: device.user) else { return }
        let delivered = visible.delivered(request.scopes)
        visit.visible = visible
        visit.delivered = delivered
        for requested in request.scopes
        where requested.priority != .normal && delivered.scopes.contains(requested.scope) {
            visit.priorities[requested.scope] = requested.priority
        }
        let before = lastAuthorized.updateValue(visible.areas, forKey: device.number)
        guard let before else { return }
        if !visible.areas.isSubset(of: before) { reach(.scopeGained) }
        if !before.isSubset(of: visible.areas) { reach(.scopeLost) }
    }

    /// Checks that a page contains only what its device may receive.
    func check(_ page: Page, _ visit: Visit, _ device: SimulatedDevice) throws {
        try page.checkDirections(centre.directions)
        if try page.checkColumns(centre) > 0 { reach(.columnHidden) }
        try visit.delivered?.check(page, to: device.number)
        try priorities.made(page, visit.priorities, for: device, centre)
    }

    /// The device has applied a page.
    func arrived(
        _ page: Page, _ request: ExchangeRequest, _ device: SimulatedDevice, _ visit: Visit
    ) throws {
        if try priorities.check(page, visit.priorities, of: request, on: device, centre) {
            reach(.priorityScan)
        }
        if visit.hasArrived { return }
        visit.hasArrived = true
        for _ in 0..<(try pushedElsewhere(request, device, visit)) { reach(.pushedElsewhere) }
    }

    /// Checks that a row that the device pushed into an area of its user's, and does not ask for,
    /// leaves the device with the answer. Other checks find it in the central database.
    ///
    /// - Returns: How many such rows there were.
    private func pushedElsewhere(
        _ request: ExchangeRequest, _ device: SimulatedDevice, _ visit: Visit
    ) throws -> Int {
        guard let batch = request.batch, !visit.outcomes.isEmpty,
            !centre.scopes.onRequest.isEmpty, let visible = visit.visible,
            let delivered = visit.delivered
        else { return 0 }
        let elsewhere = try delivered.hiddenRows().subtracting(visible.hiddenRows())
        var count = 0
        for (change, outcome) in zip(batch.changes, visit.outcomes)
        where elsewhere.contains(change.rowName) {
            if case .refused = outcome.kind { continue }
            count += 1
            let key = change.key.values
            guard try device.hasRow(change.rowName),
                try !device.changedKeys(of: change.table).contains(key),
                try !device.withheldKeys(of: change.table).contains(key)
            else { continue }
            throw Violation(
                .scopes,
                "device \(device.number) keeps \(change.table) \(key.jsonText()), which it pushed and does not ask for"
            )
        }
        return count
    }
}
