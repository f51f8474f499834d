import MoorageCore

/// What devices ask for, in some worlds with scopes. It uses streams of random numbers of its own,
/// so what happens in other worlds does not change.
extension WorldPlan {
    /// Chooses whether areas come only on request, or by themselves in an order that devices name.
    mutating func chooseSubscriptions(seed: UInt64) {
        guard scopes != nil else { return }
        var random = SeededGenerator(seed: seed ^ 0x53_5542_5343)
        if random.chance(40) {
            world.onRequest = [SimulatedScopes.kind]
            subscribing = 10
        } else if random.chance(60) {
            subscribing = 4
        }
    }

    /// An app subscribes to an area, or ends that; mostly `nil`.
    func subscription(_ random: inout SeededGenerator) -> Step.Action? {
        guard subscribing > 0, random.chance(subscribing) else { return nil }
        let device = Int.random(in: 1...world.devices.count, using: &random)
        let area = Self.area(&random)
        if random.chance(30) { return .unsubscribe(device: device, area: area) }
        let time: Int64? =
            random.chance(25) ? random.pick([800, 10_000, 600_000, 40_000_000]) : nil
        return .subscribe(
            device: device, area: area, random.pick(ScopePriority.allCases) ?? .normal,
            timeToLive: time)
    }

    /// An area that there is, mostly: its user need not see it. No row is in the area `x`.
    private static func area(_ random: inout SeededGenerator) -> String {
        if random.chance(8) { return "x" }
        if random.chance(12) { return Scope.everything.name }
        return random.pick(ScopeModel.areas) ?? "n"
    }
}
