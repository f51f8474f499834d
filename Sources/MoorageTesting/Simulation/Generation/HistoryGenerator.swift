import Moorage
import MoorageCore

extension History {
    /// What kind of world a generated history has.
    package enum Profile: String, Sendable, CaseIterable {
        /// Another schema, other rules and other faults with each seed.
        case random
        /// Three tables and a network that loses messages: for speed, and for comparing.
        case plain
        /// Pages and batches of a few rows, so that scans are long and much happens during them.
        /// The central database is restored soon after its backup, and users undo edits.
        case narrow
        /// Everyone works on the same few rows, in the middle of each other's exchanges.
        case contended
        /// Owner and apps add, rename, drop and fill columns, and make tables again.
        case migrating

        /// A seed's profile when all profiles are wanted.
        package static func inTurn(_ seed: UInt64) -> Profile {
            switch seed % 4 {
            case 1: .migrating
            case 2: .narrow
            case 3: .contended
            default: .random
            }
        }
    }

    /// Makes a history of `size` steps. Pure: the same seed gives the same history.
    package init(seed: UInt64, size: Int, profile: Profile = .random) {
        var generator = HistoryGenerator(seed: seed, profile: profile)
        self = generator.history(size: size)
    }
}

/// Makes histories. What the world is, what users do and what fails each come from their own stream
/// of random numbers.
struct HistoryGenerator {
    private var random: SeededGenerator
    private let swarm: Swarm
    private let profile: History.Profile
    /// Steps since the last backup of the central database.
    private var sinceBackup: Int?
    private var plan: WorldPlan
    /// What fails on disks, in worlds with disks.
    private var disks: SeededGenerator
    /// Which transactions are groups, what users do with a table that is not synced, and which
    /// syncs are whole.
    private var extras: SeededGenerator
    /// How people and rows get other areas.
    private var scoping: SeededGenerator
    /// What apps subscribe to.
    private var subscribing: SeededGenerator
    /// Who signs in, and which devices are wiped.
    private var people: SeededGenerator
    /// Which apps keep themselves up to date, in some worlds.
    private var loops: SeededGenerator
    private let hasLoops: Bool
    /// When tables change, and how.
    private var schemas: SeededGenerator
    private var now: Int64 = 0

    init(seed: UInt64, profile: History.Profile) {
        self.profile = profile
        random = SeededGenerator(seed: seed ^ 0x5357_4152_4D)
        disks = SeededGenerator(seed: seed ^ 0x4252_4F4B_454E)
        extras = SeededGenerator(seed: seed ^ 0x4558_5452_41)
        people = SeededGenerator(seed: seed ^ 0x5045_4F50_4C45)
        scoping = SeededGenerator(seed: seed ^ 0x5343_4F50_494E)
        subscribing = SeededGenerator(seed: seed ^ 0x5355_4253)
        schemas = SeededGenerator(seed: seed ^ 0x53_4348_454D)
        var chosen = SeededGenerator(seed: seed ^ 0x4C4F_4F50)
        hasLoops = chosen.chance(25) && profile != .plain
        loops = chosen
        switch profile {
        case .plain:
            swarm = .plain
            plan = .plain(seed: seed)
        case .random:
            var world = SeededGenerator(seed: seed ^ 0x57_4F52_4C44)
            swarm = .random(&world)
            plan = .random(seed: seed, &world)
        case .narrow:
            var world = SeededGenerator(seed: seed ^ 0x4E_4152_524F_57)
            swarm = .narrow(&world)
            plan = .narrow(seed: seed, &world)
        case .contended:
            var world = SeededGenerator(seed: seed ^ 0x43_524F_5744)
            swarm = .contended(&world)
            plan = .contended(seed: seed, &world)
        case .migrating:
            var world = SeededGenerator(seed: seed ^ 0x4D_4947_5241_5445)
            swarm = .migrating(&world)
            plan = .migrating(seed: seed, &world)
        }
    }

    mutating func history(size: Int) -> History {
        var steps: [Step] = []
        while steps.count < size {
            // Mostly seconds pass, sometimes a day.
            now += Int64.random(in: 1...(random.chance(3) ? 90_000_000 : 2000), using: &random)
            steps.append(Step(at: now, action()))
        }
        return History(world: plan.world, steps: steps)
    }

    private var deviceCount: Int { plan.world.devices.count }
    private mutating func anyDevice() -> Int { Int.random(in: 1...deviceCount, using: &random) }

    /// True in `perMille` of a thousand cases, times the fault's weight.
    private mutating func happens(_ fault: Swarm.Fault, perMille: Int) -> Bool {
        let weight = swarm.weight(fault)
        return weight > 0 && Int.random(in: 0..<1000, using: &random) < perMille * weight
    }

    private mutating func action() -> Step.Action {
        if let action = plan.userAction(&people) { return action }
        if let action = plan.subscription(&subscribing) { return action }
        if let action = plan.schemas?.next(at: now, &schemas) { return action }
        if hasLoops, loops.chance(6) {
            let device = Int.random(in: 1...deviceCount, using: &loops)
            return loops.chance(70) ? .keepUpToDate(device: device) : .leave(device: device)
        }
        if let scopes = plan.scopes, scoping.chance(12) {
            return .office(sql: scopes.statement(&scoping))
        }
        if profile == .narrow, let action = narrowAction() { return action }
        if let action = rareAction() { return action }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<55:
            let device = anyDevice()
            return .edit(device: device, sql: statements(.device, device: device))
        case 55..<68: return .office(sql: statements(.centre))
        default:
            let device = anyDevice()
            return .exchange(device: device, events(device))
        }
    }

    /// A restore soon after a backup, and many exchanges between many edits of others.
    private mutating func narrowAction() -> Step.Action? {
        if let steps = sinceBackup {
            sinceBackup = steps < 30 ? steps + 1 : nil
            if steps > 3, happens(.restoreHub, perMille: 12) {
                sinceBackup = nil
                return .restoreHub
            }
        }
        if happens(.backupHub, perMille: 6) {
            sinceBackup = 0
            return .backUpHub
        }
        if random.chance(8), let next = plan.nextLater() { return next }
        if random.chance(8) { return .office(sql: statements(.centre)) }
        guard random.chance(12) else { return nil }
        let device = anyDevice()
        return .exchange(device: device, events(device))
    }

    private mutating func rareAction() -> Step.Action? {
        if random.chance(3), let next = plan.nextLater() { return next }
        if happens(.crash, perMille: 5) { return .crash(device: anyDevice()) }
        if happens(.backup, perMille: 5) { return .backUp(device: anyDevice()) }
        if happens(.restore, perMille: 4) { return .restore(device: anyDevice()) }
        if happens(.copy, perMille: 2), deviceCount > 1 {
            return .copy(from: anyDevice(), to: anyDevice())
        }
        if happens(.clock, perMille: 4) {
            return .clock(device: anyDevice(), by: clockJump())
        }
        if happens(.hubClock, perMille: 3) { return .hubClock(by: clockJump()) }
        if happens(.backupHub, perMille: 3) { return .backUpHub }
        if happens(.restoreHub, perMille: 2) { return .restoreHub }
        if happens(.redeliver, perMille: 5) {
            return .redeliver(device: anyDevice(), back: Int.random(in: 0..<4, using: &random))
        }
        // Rows of an area that was just lost look like the user's own to a device without triggers.
        if happens(.dropTriggers, perMille: 2), plan.scopes == nil,
            let table = random.pick(plan.tables)
        {
            return .dropTriggers(device: anyDevice(), table: table.name)
        }
        if happens(.hubCrash, perMille: 3) { return .restartHub }
        return nil
    }

    private mutating func clockJump() -> Int64 {
        let jump = random.pick([1000, 60_000, 3_600_000, 86_400_000]) ?? 1000
        let rare: Int64 = random.chance(10) ? 365 : 1
        return (random.chance(50) ? 1 : -1) * Int64(jump) * rare
    }

    private mutating func statements(
        _ side: TableModel.Side, device: Int? = nil, from: Int = 0
    ) -> String {
        var writing = StatementGenerator(
            tables: device.map(plan.tables(on:)) ?? plan.centralTables, swarm: swarm, side: side,
            at: now, from: from, rows: profile == .contended ? .few : .many)
        let sql = writing.transaction(&random)
        return side == .device ? plan.extended(sql, at: now, &extras) : sql
    }

    /// What goes wrong in one exchange, and what happens between its frames.
    private mutating func events(_ device: Int) -> [Step.Event] {
        var events: [Step.Event] = []
        func add(_ frames: Int, _ what: Step.Event.What) {
            events.append(.init(after: frames, what))
        }
        func frames() -> Int { Int.random(in: 0...4, using: &random) }
        if happens(.editBetween, perMille: 60) {
            add(frames(), .edit(sql: statements(.device, device: device, from: 100)))
        }
        if happens(.officeBetween, perMille: 60) {
            add(frames(), .office(sql: statements(.centre, from: 200)))
        }
        if extras.chance(25) { add(0, .whole) }
        if happens(.twice, perMille: 40) { add(0, .twice) }
        if happens(.interleave, perMille: 30) { add(frames(), .interleave) }
        if happens(.interleaveLost, perMille: 30) { add(frames(), .interleaveLost) }
        if happens(.interrupt, perMille: 40) {
            add(frames(), .interrupt(Int.random(in: 1...4000, using: &random)))
        }
        if happens(.interruptHub, perMille: 40) {
            add(frames(), .interruptHub(Int.random(in: 1...4000, using: &random)))
        }
        if plan.world.devices[device - 1].journal != .memory, disks.chance(10) {
            let kind = disks.pick(DiskFailure.Kind.allCases) ?? .power
            let number = Int.random(in: 1...(disks.chance(50) ? 4 : 60), using: &disks)
            add(Int.random(in: 0...4, using: &disks), .disk(DiskFailure(kind, number: number)))
        }
        if happens(.busyHub, perMille: 60) { add(frames(), .busyHub) }
        if happens(.cut, perMille: 30) {
            add(frames(), .cut(Int.random(in: 0..<1000, using: &random)))
        }
        if happens(.deaf, perMille: 40) { add(frames(), .deaf) }
        if happens(.crashBetween, perMille: 40) { add(frames(), .crash) }
        if happens(.hubCrash, perMille: 30) { add(frames(), .restartHub) }
        if happens(.lose, perMille: 50) { add(frames(), .lose) }
        return events
    }
}
