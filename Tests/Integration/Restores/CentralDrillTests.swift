import Moorage
import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// Restores, failovers and moves of the central database: what a device still has is not lost, and
/// what was deleted stays away. At night each has twenty rounds.
@Suite(.ownThreads) struct `Drills of the central database` {
    private static let tables = [DrillLedger.table]

    /// Three devices and the office have written, and all of them have everything. Then C leaves,
    /// and somebody deletes a row of C's.
    private struct Stage: DrillStage {
        var ledger: DrillLedger
        let world: World
        let a: Device
        let b: Device
        let c: Device
        /// The row of C's that is gone, which C still has.
        let gone: String

        init(_ world: World, _ seed: UInt64) async throws {
            var ledger = DrillLedger(seed: seed)
            try world.centre.execute(ledger.changes(by: "office"))
            a = try await world.clone("a")
            b = try await world.clone("b")
            c = try await world.clone("c")
            for device in [a, b, c] { try device.execute(ledger.changes(by: device.name)) }
            try await world.converge(a, b, c)
            gone = try ledger.row(of: "c")
            try world.centre.execute(ledger.delete(gone))
            for device in [a, b] { try device.execute(ledger.changes(by: device.name)) }
            try await world.converge(a, b)
            self.ledger = ledger
            self.world = world
        }

        /// All devices write what the hub does not get before something happens to it.
        mutating func writeUnsent() throws {
            for device in [a, b, c] { try device.execute(ledger.changes(by: device.name)) }
        }

        /// Lets the devices come back, and compares everything.
        ///
        /// - Returns: What is wrong, and the devices on the new hub.
        func comeBack(to world: World) async throws -> (problems: [String], devices: [Device]) {
            let devices = try await (
                world.reopen(a, tables: tables), world.reopen(b, tables: tables),
                world.reopen(c, tables: tables)
            )
            try await world.converge(devices.0, devices.1, devices.2)
            let problems =
                try await world.differences(devices.0, devices.1, devices.2)
                + ledger.differences(from: world)
            return (problems, [devices.0, devices.1, devices.2])
        }
    }

    /// Whether the device lists a row that it had and the hub has not, with its values.
    private static func isListed(_ row: String, on device: Device) async throws -> Bool {
        try await device.replica.refusedChanges.fetch().contains {
            $0.key.values == [.text(row)] && $0.after["body"] != nil
        }
    }

    @Test(arguments: CentreKind.available, lawSeeds(1, nightly: 20))
    func `a restored database gets back what devices pushed, and lists what nobody can push`(
        kind: CentreKind, seed: UInt64
    ) async throws {
        try await Stage.run(kind, seed) { stage in
            let centre = stage.world.centre
            let backup = try CentralBackup(of: centre)
            // What the backup lacks: changes of devices, which keep them, and a row of the office.
            for device in [stage.a, stage.b] {
                try device.execute(stage.ledger.changes(by: device.name))
            }
            try centre.execute(stage.ledger.changes(by: "late", 1))
            let lost = try stage.ledger.row(of: "late")
            try await stage.world.converge(stage.a, stage.b)
            try stage.writeUnsent()
            try backup.restore()
            stage.ledger.lose(lost)

            let world = try stage.world.restarted()
            #expect(try await world.hub.restoreCheck().steps.map(\.kind) == [.newEpoch])
            _ = try await world.hub.attach(tables: Self.tables, newEpoch: true)
            #expect(try await world.hub.restoreCheck().mayComeBack)
            let (problems, devices) = try await stage.comeBack(to: world)
            let gone = stage.gone
            #expect(problems == [])
            #expect(try await Self.isListed(lost, on: devices[0]))
            #expect(try await Self.isListed(gone, on: devices[2]))
        }
    }

    @Test(arguments: CentreKind.available, lawSeeds(1, nightly: 20))
    func `a failover that lost the last transactions is noticed, and devices bring them back`(
        kind: CentreKind, seed: UInt64
    ) async throws {
        try await Stage.run(kind, seed) { stage in
            let centre = stage.world.centre
            let standby = try CentralBackup(of: centre)
            try stage.a.execute(stage.ledger.changes(by: "a", 3))
            try await stage.a.replica.sync()
            try stage.writeUnsent()
            try standby.restore()
            try centre.execute("UPDATE moorage_meta SET value = 'standby' WHERE name = 'identity'")

            let world = try stage.world.restarted()
            let report = try await world.hub.restoreCheck()
            #expect(report.isOtherDatabase && report.mayComeBack)
            let (problems, _) = try await stage.comeBack(to: world)
            #expect(problems == [])
            #expect(try await !world.hub.restoreCheck().isOtherDatabase)
        }
    }

    @Test(arguments: CentreKind.available, lawSeeds(1, nightly: 20))
    func `a database that moved with all that it had loses nothing`(
        kind: CentreKind, seed: UInt64
    ) async throws {
        try await Stage.run(kind, seed) { stage in
            let centre = stage.world.centre
            try stage.writeUnsent()
            try CentralBackup(of: centre).restore()
            try centre.execute("UPDATE moorage_meta SET value = 'moved' WHERE name = 'identity'")
            let world = try stage.world.restarted()
            #expect(try await world.hub.restoreCheck().mayComeBack)
            let (problems, devices) = try await stage.comeBack(to: world)
            let gone = stage.gone
            #expect(problems == [])
            #expect(try await Self.isListed(gone, on: devices[2]))
        }
    }

    // MARK: Another database

    /// The kind of database that a database of this kind moves to.
    private static func target(of kind: CentreKind) -> CentreKind {
        let wanted: CentreKind =
            switch kind {
            case .sqlite: .sqlite
            case .postgres: .mariadb
            case .mariadb: .postgres
            }
        return CentreKind.available.contains(wanted) ? wanted : .sqlite
    }

    @Test(arguments: CentreKind.available, lawSeeds(1, nightly: 20))
    func `a hub goes on in another kind of database, without the old one's own tables`(
        kind: CentreKind, seed: UInt64
    ) async throws {
        try await Stage.run(kind, seed) { stage in
            try stage.writeUnsent()
            // A's batch never arrived, and of B's only the answer is missing.
            try await Self.failToSync(stage.a, stage.world, DownHub(stage.world.hub))
            try await Self.failToSync(stage.b, stage.world, SilentHub(stage.world.hub))
            let old = try await stage.world.hub.restoreCheck()
            let centre = try Self.target(of: kind).make()
            do {
                try await Self.copyRows(of: stage.world, to: centre)
                let world = try stage.world.moved(to: centre)
                _ = try await world.hub.attach(
                    tables: Self.tables, continuing: HubMove(hub: old.hub))
                let report = try await world.hub.restoreCheck()
                #expect(report.hub == old.hub && report.mayComeBack && report.copiedAt != nil)
                let (problems, devices) = try await stage.comeBack(to: world)
                let gone = stage.gone
                #expect(problems == [])
                #expect(try await Self.isListed(gone, on: devices[2]))
            } catch {
                try centre.close()
                throw error
            }
            try centre.close()
        }
    }

    private static func failToSync(
        _ device: Device, _ world: World, _ hub: some HubConnection
    ) async throws {
        let cut = try await world.reopen(device, link: .direct(hub), tables: tables)
        await #expect(throws: (any Error).self) { try await cut.replica.sync() }
    }

    /// The owner's own copy: rows alone.
    private static func copyRows(of world: World, to centre: any Centre) async throws {
        for statement in DrillLedger.schema { try centre.execute(statement) }
        let schema = try await world.hub.schema().schema
        let table = try #require(schema.table(named: DrillLedger.table))
        for row in try world.centre.rows(table) {
            try centre.insert(into: table.name, table.columns.map(\.name), row)
        }
    }
}

/// The hub's server is stopped: no request arrives.
private struct DownHub: HubConnection {
    private let hub: Hub

    init(_ hub: Hub) { self.hub = hub }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        throw HubError(.unreachable, "The server is stopped.")
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}

/// The hub takes a batch, and its answer is lost.
private struct SilentHub: HubConnection {
    private let hub: Hub

    init(_ hub: Hub) { self.hub = hub }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        try await hub.exchange(request) { (frame: Frame) async throws in
            if case .outcomes = frame { throw HubError(.unreachable, "The answer is lost.") }
            try await receive(frame)
        }
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}
