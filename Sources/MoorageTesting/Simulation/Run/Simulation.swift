import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// Runs one history: the real client and the real hub on SQLite in memory, step by step on one
/// thread. All random numbers and clocks are the history's own.
package final class Simulation {
    let history: History
    let centre: SimulatedCentre
    private(set) var devices: [SimulatedDevice] = []
    private(set) var reached: [Reached: Int] = [:]
    var digest = Digest()
    var ledger: Ledger
    var userEdits: UserEdits
    var checkpoints = CheckpointOracle()
    var pushes: PushOracle
    var causes: CauseOracle
    var keys: KeyOracle
    /// Apps that keep themselves up to date, by device.
    var loops: [Int: AppLoop] = [:]
    /// Devices whose users committed something in this step.
    private var committed: Set<Int> = []
    var priorities = PriorityOracle()
    /// The areas that each device's user had at its last exchange.
    var lastAuthorized: [Int: Set<Value>] = [:]
    /// Whether the same change may come under another name, or the same value may reach another
    /// row.
    let givesOtherNames: Bool
    /// Rows and removals that reached devices with nothing to send.
    var rowsUnasked = 0
    /// The true time, in milliseconds since the world began.
    private(set) var now: Int64 = 0
    var salt: UInt64 = 0
    /// Called with each step and each message, as text.
    let trace: ((String) -> Void)?
    /// Called with each sync that a twin can repeat.
    private(set) var onSync: ((SyncRecord) -> Void)?

    private init(_ history: History, trace: ((String) -> Void)?) throws {
        self.history = history
        pushes = PushOracle(history)
        causes = CauseOracle(history)
        keys = KeyOracle(history)
        givesOtherNames = history.givesOtherNames
        userEdits = UserEdits(history.world)
        ledger = Ledger(history.world)
        self.trace = trace
        centre = try SimulatedCentre(world: history.world)
        for number in history.world.devices.indices {
            let device = try SimulatedDevice(
                number: number + 1, world: history.world, at: 0)
            devices.append(device)
            // Rows that the first contact replaces are nobody's change.
            guard device.firstContact == .upload else {
                try ledger.began(device)
                continue
            }
            for row in history.world.devices[number].rows { ledger.committed(row, on: device) }
            userEdits.changed(
                UserEdits.Picture(), to: try UserEdits.picture(of: device), on: device)
        }
    }

    /// Runs a history and checks what must be true.
    ///
    /// - Parameter trace: Called with each step and each message, as text.
    package static func run(
        _ history: History, trace: ((String) -> Void)? = nil
    ) -> SimulationResult {
        run(history, trace: trace, check: nil)
    }

    /// - Parameters:
    ///   - check: One more check after each step, for tests of the simulation itself.
    ///   - onSync: Called with each sync that a twin can repeat.
    static func run(
        _ history: History, trace: ((String) -> Void)? = nil,
        check: ((Simulation) throws -> Void)?, onSync: ((SyncRecord) -> Void)? = nil
    ) -> SimulationResult {
        do {
            let simulation = try Simulation(history, trace: trace)
            simulation.onSync = onSync
            let violation = simulation.perform(check)
            return SimulationResult(
                violation: violation, digest: simulation.digest.text, reached: simulation.reached)
        } catch {
            return SimulationResult(
                violation: Violation(error, "the world cannot be made: \(error)"), digest: "",
                reached: [:])
        }
    }

    private func perform(_ check: ((Simulation) throws -> Void)?) -> Violation? {
        var place = "at the end"
        do {
            for step in history.steps {
                place = "at \(step.at)"
                advance(to: step.at)
                trace?(step.line)
                try perform(step.action)
                try goOn(after: committed)
                try check?(self)
            }
            place = "at the end"
            loops = [:]
            try converge()
            try FinalChecks(self).check()
            try addDatabases()
            return nil
        } catch let violation as Violation {
            return Violation(
                violation.oracle, "\(place): \(violation.message)", code: violation.code)
        } catch {
            return Violation(error, "\(place): \(error)")
        }
    }

    /// Sets everyone's clock to the step's time, and everyone's random numbers to the step's.
    func advance(to time: Int64) {
        now = time
        committed = []
        salt = (history.world.seed ^ UInt64(bitPattern: time)) &* 0x9E37_79B9_7F4A_7C15
        centre.advance(to: time, salt: salt)
        for device in devices { device.advance(to: time, salt: salt) }
    }

    func reach(_ what: Reached) { reached[what, default: 0] += 1 }

    func device(_ number: Int) -> SimulatedDevice? {
        devices.indices.contains(number - 1) ? devices[number - 1] : nil
    }

    // MARK: Steps

    private func perform(_ action: Step.Action) throws {
        switch action {
        case .edit(let number, let sql):
            if let device = device(number) { try edit(device, sql) }
        case .office(let sql): try office(sql)
        case .exchange(let number, let events):
            if let device = device(number) { try exchange(device, events) }
        case .attach(let sql):
            reach(.attached)
            if !sql.isEmpty { try centre.alter(sql) }
            try centre.attach()
        case .alter(let sql):
            reach(.altered)
            try centre.alter(sql)
        case .signIn(let number, let user):
            if let device = device(number) { try signIn(user, on: device) }
        case .keepUpToDate(let number):
            if let device = device(number) { try keepUpToDate(device) }
        case .leave(let number):
            if let device = device(number) { try leave(device) }
        case .wipe(let number):
            if let device = device(number) { try orderWipe(of: device) }
        case .restartHub:
            reach(.hubRestart)
            centre.restart()
        case .hubClock(let milliseconds):
            reach(.clockJump)
            centre.setClock(by: milliseconds)
            ledger.hubClockJumped(by: milliseconds)
        case .backUpHub:
            try centre.backUp()
            keys.backedUp()
        case .restoreHub: try restoreHub()
        case .crash, .backUp, .restore, .copy, .clock, .redeliver, .dropTriggers, .migrate,
            .upgrade, .subscribe, .unsubscribe:
            try performOnDevice(action)
        }
    }

    private func performOnDevice(_ action: Step.Action) throws {
        switch action {
        case .crash(let number):
            reach(.crash)
            try device(number)?.reopen()
        case .backUp(let number):
            guard let device = device(number) else { return }
            reach(.backup)
            try ledger.observe(device, centre)
            device.backup = DeviceBackup(
                file: try device.backUp(), owner: device.owner, entries: ledger.owed(by: device))
        case .restore(let number):
            guard let device = device(number), let backup = device.backup else { return }
            reach(.restored)
            try device.restore(backup.file)
            device.isWiped = false
            if try device.belongs(to: backup.owner) { userEdits.adopted(by: device) }
            ledger.replaced(device, owing: backup.entries)
            causes.replaced(device)
            checkpoints.forget(device.number)
        case .copy(let from, let to):
            guard from != to, let source = device(from), let target = device(to),
                source.tables == target.tables
            else { return }
            reach(.copied)
            try ledger.observe(source, centre)
            try target.restore(try source.backUp())
            target.isWiped = false
            ledger.replaced(
                target,
                owing: ledger.owed(by: source, after: target.machine.now - source.machine.now))
            causes.replaced(target)
            userEdits.copied(from: source, to: target)
            if try target.belongs(to: source.owner) { userEdits.adopted(by: target) }
            checkpoints.forget(target.number)
        case .clock(let number, let milliseconds):
            reach(.clockJump)
            device(number)?.setClock(by: milliseconds)
            ledger.clockJumped(by: milliseconds)
        case .redeliver(let number, let back):
            if let device = device(number) { try redeliver(device, back: back) }
        case .dropTriggers(let number, let table):
            guard let device = device(number) else { return }
            reach(.triggersDropped)
            try device.dropTriggers(of: table)
        case .subscribe(let number, let area, let priority, let time):
            guard let device = device(number) else { return }
            try subscribe(device, to: area, priority, timeToLive: time)
        case .unsubscribe(let number, let area):
            if let device = device(number) { try unsubscribe(device, from: area) }
        case .migrate(let number, let sql):
            guard let device = device(number) else { return }
            reach(.migrated)
            let before = try UserEdits.picture(of: device)
            if try device.edit(sql) { ledger.committed(sql, on: device) }
            try device.reopen()
            userEdits.changed(before, to: try UserEdits.picture(of: device), on: device)
        case .upgrade(let number, let upgrade, let sql):
            if let device = device(number) { try self.upgrade(device, upgrade, sql) }
        default: return
        }
    }

    func edit(_ device: SimulatedDevice, _ sql: String) throws {
        let before = try UserEdits.picture(of: device)
        let numbered = try keys.observe(device)
        if try device.edit(sql) {
            reach(.localCommit)
            committed.insert(device.number)
            for _ in 0..<(try keys.check(numbered, on: device)) { reach(.keyUsed) }
            ledger.committed(sql, on: device)
            userEdits.changed(before, to: try UserEdits.picture(of: device), on: device)
        } else {
            reach(.localRefusal)
        }
    }

    func office(_ sql: String) throws {
        guard try centre.edit(sql) else { return }
        reach(.centralCommit)
        ledger.committedByOffice(sql)
    }

    private func restoreHub() throws {
        guard let backup = centre.backup else { return }
        reach(.hubRestored)
        try centre.restore(backup)
        keys.restored()
        pushes.forget()
        priorities.forget()
        try ledger.hubRestored(centre, devices)
    }

    private func addDatabases() throws {
        for table in centre.tables {
            digest.add(try centre.write { try $0.rowsInOrder(of: table) })
        }
        for device in devices {
            for table in device.tables {
                digest.add(try device.write { try $0.rowsInOrder(of: table) })
            }
        }
    }
}

extension Database {
    /// All rows as text, sorted by their first two columns.
    fileprivate func rowsInOrder(of table: String) throws -> String.UTF8View {
        let isNarrow = try simulatedColumns(of: table).count < 2
        let rows = try rawRows("SELECT * FROM \"\(table)\" ORDER BY 1\(isNarrow ? "" : ", 2")")
        return rows.map { $0.jsonText() }.joined().utf8
    }
}
