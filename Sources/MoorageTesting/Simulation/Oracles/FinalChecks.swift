import GRDB
import Moorage
import MoorageCore
import MoorageWire

extension Simulation {
    /// Checks that without further faults everyone is at rest after a bounded number of exchanges.
    func converge() throws {
        if centre.isAltered { try centre.attach() }
        let time = (history.steps.last?.at ?? 0) + 1_000_000
        let bound = try roundsToRest()
        var before: [SyncCursor] = []
        for round in 0..<bound {
            advance(to: time + Int64(round) * 1000)
            let unasked = rowsUnasked
            let forbidden = reached[.removalForbidden]
            trace?("round \(round + 1) without faults")
            for device in devices { try exchange(device, []) }
            let cursors = try devices.map { try $0.cursor() }
            // A page that a device did not apply comes again.
            if cursors == before, forbidden == reached[.removalForbidden],
                try devices.allSatisfy({ try $0.isAtRest(beside: centre) })
            {
                guard rowsUnasked > unasked else { return }
                throw Violation(.progress, "everyone is at rest, and rows come all the same")
            }
            before = cursors
        }
        let states = try devices.filter { try !$0.isAtRest(beside: centre) }.map { device in
            let state = try device.state()
            return
                "device \(device.number) has \(state.pending) pending, \(state.deferred) waiting, stopped \(state.suspended.map(\.reason))"
        }
        throw Violation(
            .progress, "not at rest after \(bound) rounds: \(states.joined(separator: "; "))")
    }

    /// All rows may have to go up and down in the smallest pieces, several times.
    func roundsToRest() throws -> Int {
        var rows = 0
        for table in centre.tables {
            rows += try centre.write { try $0.rawRows("SELECT 1 FROM \"\(table)\"").count }
        }
        for device in devices { rows += try device.state().pending }
        // Devices must remove the rows that the central database no longer has.
        rows += try devices.map { try $0.countRows() }.max() ?? 0
        let world = history.world
        let piece = min(world.batchRows, world.hubBatchRows, world.pageRows * world.pages)
        // A scan starts again with each subscription that ends meanwhile.
        let ends = try devices.map { device in
            try device.storedSubscriptions().filter { $0.endsAt != nil }.count
        }
        return (20 + 3 * rows / piece) * (1 + (ends.max() ?? 0))
    }
}

extension SimulatedDevice {
    fileprivate func countRows() throws -> Int {
        try tables.reduce(0) { count, table in
            count + (try write { try $0.rawRows("SELECT 1 FROM \"\(table)\"").count })
        }
    }

    func isAtRest(beside centre: SimulatedCentre) throws -> Bool {
        if try isOut(beside: centre) { return true }
        let state = try state()
        let outdated = outdatedTables(of: state, beside: centre)
        return state.pending == outdated.waiting && state.deferred == 0
            && state.cursor.scan == nil && state.cursor.checkpoint != nil
            && state.suspended.allSatisfy { outdated.names.contains($0.name) }
    }

    /// Whether it does not sync any more. A wiped device never does again under its name.
    func isOut(beside centre: SimulatedCentre) throws -> Bool {
        try isWiped || cannotBegin(with: centre)
    }

    /// Whether the app never met the hub, and lists a table that it does not sync. At the first
    /// contact that is a mistake, and stops the replica.
    func cannotBegin(with centre: SimulatedCentre) throws -> Bool {
        guard tables.contains(where: { centre.attachedColumns[$0] == nil }) else { return false }
        return try write {
            try $0.rawRows("SELECT 1 FROM _moorage_meta WHERE name = 'schema'").isEmpty
        }
    }

    /// The suspended tables whose columns are not the centre's, and how many changes wait there.
    /// They wait for the app's next version, or for the owner.
    func outdatedTables(
        of state: ReplicaFile.State, beside centre: SimulatedCentre
    ) -> (names: Set<String>, waiting: Int) {
        let outdated = state.suspended.filter { table in
            Set((columns[table.name] ?? []).map(\.name))
                != Set((centre.columns[table.name] ?? []).map(\.name))
        }
        return (Set(outdated.map(\.name)), outdated.reduce(0) { $0 + $1.pendingCount })
    }

    func outdatedTables(beside centre: SimulatedCentre) throws -> Set<String> {
        outdatedTables(of: try state(), beside: centre).names
    }
}

/// What must be true when everyone is at rest.
struct FinalChecks {
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    func check() throws {
        for device in simulation.devices {
            if device.isWiped {
                try device.checkEmpty()
                continue
            }
            if try device.cannotBegin(with: simulation.centre) { continue }
            let visible = try VisibleRows(simulation.centre, of: device.user)
            let oracle = SnapshotOracle(
                centre: simulation.centre, device: device,
                delivered: visible?.delivered(device.requested))
            let outdated = try device.outdatedTables(beside: simulation.centre)
            for _ in outdated { simulation.reach(.tableOutdated) }
            for table in device.tables
            where simulation.centre.tables.contains(table) && !outdated.contains(table) {
                let withheld = try WithheldOracle(centre: simulation.centre, device: device)
                    .check(table)
                if !withheld.isEmpty { simulation.reach(.withheld) }
                if let difference = try oracle.difference(in: table, except: withheld) {
                    throw Violation(.convergence, "device \(device.number), \(difference)")
                }
            }
            try oracle.checkForeignKeys()
            try checkStatus(of: device)
            if let visible { try checkSubscriptions(of: device, visible) }
            try simulation.ledger.observe(device, simulation.centre)
        }
        try HistoryOracles(simulation: simulation).check()
        try BoundedMetadata(simulation: simulation).check()
        let missing = try simulation.ledger.missing(simulation.centre, simulation.devices)
        if !missing.isEmpty {
            throw Violation(
                .nothingLost,
                "neither at the centre, nor logged, nor refused: \(missing.prefix(3).joined(separator: ", "))"
            )
        }
    }

    /// Checks that an app learns what became of its subscriptions.
    private func checkSubscriptions(of device: SimulatedDevice, _ visible: VisibleRows) throws {
        for subscription in try device.subscriptions() {
            let isSeen = visible.scopes.contains(Scope(subscription.scope))
            let expected: Subscription.State = isSeen ? .complete : .unavailable
            guard subscription.state == expected else {
                throw Violation(
                    .honestStatus,
                    "device \(device.number) says of \(subscription.scope) that it is \(subscription.state)"
                )
            }
        }
    }

    /// Checks that a replica reports what its file contains.
    private func checkStatus(of device: SimulatedDevice) throws {
        let state = try device.state()
        let refused = try device.write { try $0.rawRows("SELECT 1 FROM _moorage_refused").count }
        for table in simulation.centre.columnSettings.keys.sorted() {
            let sql = "SELECT 1 FROM _moorage_refused WHERE code = 'readOnly' AND tbl = '\(table)'"
            let listed = try device.write { try $0.rawRows(sql).count }
            for _ in 0..<listed { simulation.reach(.columnListed) }
        }
        let waiting = device.outdatedTables(of: state, beside: simulation.centre).waiting
        guard state.refused == refused, state.pending == waiting, state.inFlight.isEmpty else {
            throw Violation(
                .honestStatus,
                "device \(device.number) tells of \(state.pending) pending and \(state.refused) refused changes"
            )
        }
    }
}
