public import GRDB
public import Moorage
import MoorageCore
public import MoorageHub
import MoorageSupport

/// One device of a ``Sandbox``: the app's database in memory, and its replica.
///
/// Use ``database`` with the app's own code, as the app does. ``write(_:)`` also moves the time on, so
/// that the edit written last is the newest. After a write of the app's own code, call
/// ``Sandbox/advance(by:)`` where the order of edits counts.
public final class SandboxDevice: Sendable {
    /// How messages call it.
    public let name: String
    /// Who works with it; `nil` for nobody in particular.
    public let user: Principal?
    /// Its clock, which may be wrong.
    public let clock: SandboxClock
    private let core: SandboxCore
    private let way: Locked<SandboxNetwork>
    private let state: Locked<State>

    private struct State {
        var database: DatabaseQueue
        var replica: Replica
        var app: App
        var backup: DatabaseQueue?
    }

    /// A version of the app.
    private struct App {
        let tables: [ReplicaTable]
        let migrator: DatabaseMigrator
        let options: ReplicaOptions
        let clock: SandboxClock
        let connection: SandboxConnection
        let random: Locked<SeededRandom>

        func open(_ database: DatabaseQueue) async throws -> Replica {
            try await Replica.open(
                database: database, hub: .direct(connection), tables: tables, migrator: migrator,
                options: options, clock: clock,
                random: ReplicaRandom { [random] in random.withLock { $0.next() } })
        }
    }

    init(
        name: String, in core: SandboxCore, user: Principal?, options: ReplicaOptions,
        on file: (SandboxClock) async throws -> DatabaseQueue
    ) async throws {
        self.name = name
        self.user = user
        self.core = core
        way = Locked(.online)
        clock = SandboxClock(core.time)
        let random = Locked(core.newRandom())
        let app = App(
            tables: core.plan.tables, migrator: core.plan.migrator, options: options, clock: clock,
            connection: SandboxConnection(core: core, user: user, network: way, random: random),
            random: random)
        let database = try await file(clock)
        let replica = try await app.open(database)
        state = Locked(State(database: database, replica: replica, app: app))
    }

    // MARK: The app

    /// The app's database. A restore makes another one.
    public var database: DatabaseQueue { state.withLock { $0.database } }

    /// The replica. A relaunch makes another one.
    public var replica: Replica { state.withLock { $0.replica } }

    /// Reads the app's database.
    ///
    /// - Throws: What `body` throws.
    public func read<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await database.read(body)
    }

    /// Writes to the app's database, a second after the last write.
    ///
    /// - Throws: What `body` throws. Nothing is written then.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws -> Result {
        core.time.advance(by: .seconds(1))
        return try await database.write(body)
    }

    /// Ends the app and starts it again. The replica knows only what is in the file. A call of
    /// `run()` in a task of the test's own goes on with the old replica: cancel it first.
    ///
    /// - Parameters:
    ///   - tables: The tables of the app's new version; `nil` for those it had.
    ///   - migrator: The migrations of the app's new version; `nil` for those it had.
    /// - Throws: What the migrations and `Replica.open` throw.
    public func relaunch(
        tables: [ReplicaTable]? = nil, migrator: DatabaseMigrator? = nil
    ) async throws {
        let (database, old, known) = state.withLock { ($0.database, $0.replica, $0.app) }
        await old.stop()
        let app = App(
            tables: tables ?? known.tables, migrator: migrator ?? known.migrator,
            options: known.options, clock: clock, connection: known.connection,
            random: known.random)
        let replica = try await app.open(database)
        state.withLock {
            $0.replica = replica
            $0.app = app
        }
    }

    // MARK: Faults

    /// The way to the hub; ``SandboxNetwork/online`` at first. A live stream of a replica that runs
    /// notices a change within about a second.
    public var network: SandboxNetwork {
        get { way.withLock { $0 } }
        set { way.withLock { $0 = newValue } }
    }

    /// Copies the device's file, as the system's backup does.
    public func backUp() async throws {
        let copy = try await core.plan.copy(of: database, clock)
        state.withLock { $0.backup = copy }
    }

    /// Puts the file back to its last backup, and starts the app.
    ///
    /// - Throws: ``SandboxError`` `noBackup` without one.
    public func restore() async throws {
        let (backup, old) = state.withLock { ($0.backup, $0.replica) }
        guard let backup else { throw SandboxError.noBackup }
        await old.stop()
        let restored = try await core.plan.copy(of: backup, clock)
        state.withLock { $0.database = restored }
        try await relaunch()
    }

    // MARK: Syncing

    /// Exchanges with the hub once; see `Replica.sync()`.
    @discardableResult
    public func sync() async throws -> SyncSummary { try await replica.sync() }
}
