import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport

/// What all devices of a sandbox share. They keep it as long as they need it, also without the
/// sandbox.
final class SandboxCore: Sendable {
    let plan: SandboxPlan
    let time = SandboxTime()
    let clock: SandboxClock
    private let state: Locked<State>

    private struct State {
        var central: DatabaseQueue
        var hub: Hub
        var random: SeededRandom
        var backup: DatabaseQueue?
        /// How often the central database was restored.
        var restores = 0
    }

    /// Makes the central database, and attaches a hub to it.
    init(_ plan: SandboxPlan, central: (@Sendable (Database) throws -> Void)?) async throws {
        self.plan = plan
        clock = SandboxClock(time)
        var random = SeededRandom(seed: plan.seed)
        let queue = try plan.queue(clock)
        if let central {
            try await queue.write(central)
        } else {
            try plan.migrator.migrate(queue)
        }
        let hub = plan.hub(queue, seed: random.next())
        state = Locked(State(central: queue, hub: hub, random: random))
        _ = try await hub.attach(tables: plan.centralNames)
        try await hub.checkConfiguration()
    }

    /// Copies the central database of another sandbox, whose hub is attached.
    init(copying other: SandboxCore, seed: UInt64) async throws {
        plan = other.plan
        clock = SandboxClock(time)
        var random = SeededRandom(seed: seed)
        let queue = try await plan.copy(of: other.central, clock)
        let hub = plan.hub(queue, seed: random.next())
        state = Locked(State(central: queue, hub: hub, random: random))
    }

    var hub: Hub { state.withLock { $0.hub } }
    /// The central database, as the owner's own programs reach it.
    var central: DatabaseQueue { state.withLock { $0.central } }
    /// The hub, and which of its histories it serves.
    var served: (hub: Hub, restores: Int) { state.withLock { ($0.hub, $0.restores) } }

    /// Numbers for a part of the sandbox.
    func newRandom() -> SeededRandom { state.withLock { SeededRandom(seed: $0.random.next()) } }

    func backUp() async throws {
        let copy = try await plan.copy(of: central, clock)
        state.withLock { $0.backup = copy }
    }

    func restore() async throws {
        guard let backup = state.withLock({ $0.backup }) else { throw SandboxError.noBackup }
        let restored = try await plan.copy(of: backup, clock)
        state.withLock {
            $0.central = restored
            $0.hub = plan.hub(restored, seed: $0.random.next())
            $0.restores += 1
        }
    }
}

/// What a sandbox is made of.
struct SandboxPlan: Sendable {
    let tables: [ReplicaTable]
    let migrator: DatabaseMigrator
    let configuration: HubConfiguration
    let prepare: (@Sendable (Database) throws -> Void)?
    let seed: UInt64

    /// The longest a live stream may be silent, and so the longest that one goes on after a restore.
    private static let longestSilence = Duration.seconds(1)

    func queue(_ clock: SandboxClock) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { [prepare] db in
            clock.install(on: db)
            try prepare?(db)
        }
        return try DatabaseQueue(configuration: configuration)
    }

    func copy(of database: DatabaseQueue, _ clock: SandboxClock) async throws -> DatabaseQueue {
        let copy = try queue(clock)
        try database.backup(to: copy)
        return copy
    }

    func hub(_ queue: DatabaseQueue, seed: UInt64) -> Hub {
        let random = Locked(SeededRandom(seed: seed))
        var configuration = configuration
        configuration.live.heartbeat = min(configuration.live.heartbeat, Self.longestSilence)
        return Hub(
            database: SQLiteDatabase(queue: queue), configuration: configuration,
            makeID: { random.withLock { $0.uuid() } })
    }

    /// The names that the tables have in the central database.
    var centralNames: [String] {
        tables.map { table in
            let known = configuration.tableNames.first { _, names in
                names.name == table.name || names.renamedFrom.contains(table.name)
            }
            return known?.key ?? table.name
        }
    }
}
