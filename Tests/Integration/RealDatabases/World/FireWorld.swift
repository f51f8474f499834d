import Foundation
import MoorageTesting
import TestSupport

/// A central database, servers, a proxy, devices with their users and processes, and an office. All
/// of them are real, and each may end or break at any moment.
final class FireWorld {
    struct Settings {
        var devices = 3
        var servers = 1
        var pageRows = 1_000
        var batchRows = 5_000
    }

    struct Counts {
        var serverKills = 0
        var databaseKills = 0
        var sessionKills = 0
        var networkFaults = 0
    }

    let centre: any FireCentre
    let office: Office
    let proxy: TCPProxy
    private(set) var devices: [FireDevice] = []
    private(set) var counts = Counts()
    private var problems: [String] = []
    private let folder: URL
    private let settings: Settings
    private var servers: [Server] = []
    private var known: [String: [Int]]
    private var isDatabaseDown = false

    private struct Server {
        var process: ChildProcess?
        var port = 0
    }

    static func run<Result>(
        _ centre: any FireCentre, seed: UInt64, settings: Settings, folder: URL,
        _ body: (FireWorld) async throws -> Result
    ) async throws -> Result {
        let world = try FireWorld(centre, seed: seed, settings: settings, folder: folder)
        do {
            try await world.begin()
            let result = try await body(world)
            try await world.end()
            return result
        } catch {
            try await world.end()
            throw error
        }
    }

    private init(
        _ centre: any FireCentre, seed: UInt64, settings: Settings, folder: URL
    ) throws {
        self.centre = centre
        self.settings = settings
        self.folder = folder
        proxy = try TCPProxy()
        office = Office(centre: centre, seed: seed &* 3 &+ 1)
        known = [
            "parent": Array(1...FireSchema.parents), "child": Array(1...FireSchema.children),
            "leaf": Array(1...FireSchema.leaves),
        ]
    }

    private func begin() async throws {
        try centre.create()
        let attach = try ChildProcess(
            ["attach", centre.argument] + FireSchema.tables.flatMap { ["--table", $0] },
            environment: centre.environment, folder: folder)
        guard await attach.wait() == 0 else {
            throw ChildProcess.Failure(description: "attach: \(attach.text)")
        }
        servers = Array(repeating: Server(), count: settings.servers)
        try await startServers()
        for _ in 0..<settings.devices { try await addDevice().clone(from: proxy.url) }
        for device in devices { try device.startSyncing(proxy.url) }
    }

    private func end() async throws {
        for device in devices { try await device.stopSyncing() }
        for server in servers { _ = await server.process?.killNow() }
        proxy.close()
    }

    // MARK: People

    /// Adds a device that has no file yet.
    @discardableResult
    private func addDevice() -> FireDevice {
        let options = FireDevice.Options(
            pageRows: settings.pageRows, batchRows: settings.batchRows,
            isWAL: devices.count.isMultiple(of: 2))
        let device = FireDevice(
            number: devices.count + 1, folder: folder, environment: centre.environment,
            options: options)
        devices.append(device)
        return device
    }

    /// Adds a device while everything goes on. Faults may disturb its first copy too.
    func join() throws { try addDevice().startSyncing(proxy.url) }

    func edit(
        device: Int, statements: Int, random: SeededGenerator, padding: String = ""
    ) throws {
        remember(
            try devices[device % devices.count].edit(
                statements: statements, known: known, random: random, padding: padding))
    }

    func editInOffice(statements: Int) {
        remember(office.transaction(statements: statements, known: known))
    }

    func hold(changesShared: Bool) {
        remember(office.hold(changing: changesShared ? known["parent"]?.first : nil))
    }

    private func remember(_ rows: [DeviceLedger.Row]) {
        for row in rows { known[row.table, default: []].append(row.id) }
    }

    // MARK: Faults

    func killClient(_ number: Int) async throws {
        try await devices[number % devices.count].killNow()
    }

    func killServer(_ number: Int) async {
        let index = number % servers.count
        guard let process = servers[index].process else { return }
        servers[index].process = nil
        counts.serverKills += 1
        if await !process.killNow() { problems.append("a server ended by itself: \(process.text)") }
    }

    func killDatabase() {
        centre.killNow()
        isDatabaseDown = true
        counts.databaseKills += 1
    }

    func killSession() {
        do {
            try centre.killSession()
            counts.sessionKills += 1
        } catch {
            // The database is down, or just starting.
        }
    }

    func disturb(_ fault: TCPProxy.Fault) {
        proxy.inject(fault)
        counts.networkFaults += 1
    }

    // MARK: Repairing

    /// Starts the database again if it went down by itself, as it may when it has no room.
    func restartDatabase() async throws { try await centre.start() }

    /// Starts everything again that was ended.
    func revive() async throws {
        if isDatabaseDown {
            try await centre.start()
            isDatabaseDown = false
        }
        try await startServers()
        for device in devices { try device.startSyncing(proxy.url) }
    }

    private func startServers() async throws {
        for index in servers.indices where servers[index].process == nil {
            try await startServer(index)
        }
        proxy.lead(to: servers.map(\.port))
    }

    /// A server does not start without a database, and after the end of a session the database
    /// accepts no connections for a moment.
    private func startServer(_ index: Int) async throws {
        for attempt in 0..<5 {
            try await centre.start()
            do {
                let (process, url) = try await ChildProcess.serve(
                    centre.argument, environment: centre.environment, folder: folder)
                servers[index] = Server(
                    process: process, port: url.split(separator: ":").last.flatMap { Int($0) } ?? 0)
                return
            } catch {
                if attempt == 4 { throw error }
            }
        }
    }

    /// How many times every device may sync at the end until nothing is left to do. Rounds with an
    /// error do not count, because sessions of killed servers may keep their locks for a while.
    private static let maximumRounds = 40

    /// Ends every fault, and lets every device sync until nothing is left.
    ///
    /// - Returns: What prevented that.
    private func converge() async throws -> [String] {
        proxy.heal()
        try await centre.start()
        isDatabaseDown = false
        office.release(commits: true)
        try await revive()
        try await waitForCopies()
        for device in devices { try await device.stopSyncing() }
        // Connections whose other end is gone must not delay the last syncs.
        proxy.inject(.cut)
        let end = ContinuousClock.now + Hang.limit
        var waits: [String] = []
        var rounds = 0
        while rounds < Self.maximumRounds, ContinuousClock.now < end {
            let failures = waits.count
            var isBusy = false
            for device in devices {
                do {
                    if try await device.sync(proxy.url) { isBusy = true }
                } catch {
                    isBusy = true
                    waits.append("\(error)")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            if !isBusy { return [] }
            if waits.count == failures { rounds += 1 }
        }
        return ["nothing comes to rest; \(waits.suffix(3))"]
    }

    /// Devices that joined late may still be copying.
    private func waitForCopies() async throws {
        for device in devices {
            try await eventually("device \(device.number) has its copy") {
                if try device.wholeFile() != nil { return true }
                if !device.isRunning {
                    try await device.stopSyncing()
                    guard device.problems.isEmpty else { return true }
                    try device.startSyncing(proxy.url)
                }
                return false
            }
        }
    }

    /// Brings every process to rest.
    ///
    /// - Returns: The invariants that fail then.
    func problemsAtRest() async throws -> [String] {
        let unconverged = try await converge()
        let oracle = FireOracle(centre: centre, devices: devices, officeTokens: office.tokens)
        return try await unconverged + oracle.problems() + problems + office.problems
            + devices.flatMap(\.problems)
    }

    /// Starts every device again after ``problemsAtRest()``.
    func goOn() throws {
        for device in devices { try device.startSyncing(proxy.url) }
    }
}
