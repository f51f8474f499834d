import MoorageHub

extension WorldPlan {
    /// Chooses who works with the devices, what they may do, and whether users change. It uses its
    /// own stream of random numbers, so what happens in other worlds does not change.
    mutating func chooseUsers(seed: UInt64) {
        var random = SeededGenerator(seed: seed ^ 0x55_5345_5253)
        let changesUsers = random.chance(12)
        let hasRights = random.chance(15)
        if random.chance(10) { wipes = random.pick([3, 10]) ?? 3 }
        guard changesUsers || hasRights else { return }
        for index in world.devices.indices where world.devices[index].user == nil {
            world.devices[index].user = random.pick(ScopeModel.people)
        }
        if changesUsers { signIns = random.pick([1, 3]) ?? 1 }
        guard hasRights else { return }
        for table in tables where random.chance(50) {
            var rights: [String: TableRights] = [:]
            for person in ScopeModel.people {
                rights[person] = TableRights(
                    insert: random.chance(70), update: random.chance(70), delete: random.chance(60),
                    move: random.chance(20))
            }
            if random.chance(20) { rights[RightSettings.everyone] = TableRights(update: true) }
            world.rights[table.name] = rights
        }
    }

    /// A new user, or an order to wipe a device; mostly `nil`.
    func userAction(_ random: inout SeededGenerator) -> Step.Action? {
        guard signIns + wipes > 0 else { return nil }
        let device = Int.random(in: 1...world.devices.count, using: &random)
        if random.chance(signIns), let user = random.pick(ScopeModel.people) {
            return .signIn(device: device, user: user)
        }
        return random.below(1000) < wipes ? .wipe(device: device) : nil
    }
}
