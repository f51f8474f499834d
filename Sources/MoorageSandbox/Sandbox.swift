public import GRDB
public import Moorage
public import MoorageHub
import MoorageSupport

/// A hub and devices in memory, for tests and previews of an app.
///
/// ```swift
/// let sandbox = try await Sandbox(tables: [.table(Order.self)], migrator: AppDatabase.migrator)
/// let anna = try await sandbox.device("anna")
/// try await anna.write { try Order(id: 1, city: "Bonn").insert($0) }
/// try await sandbox.syncAll()
/// ```
///
/// It runs the hub and the replicas that ship, without server, files and network. Its time moves
/// by a second with each ``write(_:)`` of the sandbox or of a device, and not otherwise.
///
/// Any task may call it. It is not for measuring: the central database is SQLite.
public final class Sandbox: Sendable {
    let core: SandboxCore
    private let known = Locked<[SandboxDevice]>([])

    /// Makes a central database with the app's tables, and attaches a hub to it.
    ///
    /// - Parameters:
    ///   - tables: The tables that devices sync.
    ///   - migrator: The app's migrations. They make the tables of each device, and those of the
    ///     central database.
    ///   - configuration: How the hub merges, and who may do what. By default the newest edit of a
    ///     column wins, and everyone sees every row.
    ///   - prepare: Prepares each connection, with the app's own SQL functions and collations.
    ///   - central: Makes the tables of the central database, where they differ from the app's;
    ///     `nil` to let `migrator` make them.
    ///   - seed: Where the random ids and losses begin.
    /// - Throws: What the migrations throw. `HubError` if the hub cannot sync a table, or cannot use
    ///   the configuration.
    public init(
        tables: [ReplicaTable], migrator: DatabaseMigrator,
        configuration: HubConfiguration = HubConfiguration(),
        prepare: (@Sendable (Database) throws -> Void)? = nil,
        central: (@Sendable (Database) throws -> Void)? = nil, seed: UInt64 = 1
    ) async throws {
        let plan = SandboxPlan(
            tables: tables, migrator: migrator, configuration: configuration, prepare: prepare,
            seed: seed)
        core = try await SandboxCore(plan, central: central)
    }

    /// A copy of a sandbox, without its devices.
    init(copying other: Sandbox, seed: UInt64) async throws {
        core = try await SandboxCore(copying: other.core, seed: seed)
    }

    // MARK: Tests

    @TaskLocal package static var scoped: Sandbox?

    /// The sandbox that a trait of `MoorageTestKit` made for the test that runs.
    ///
    /// - Throws: ``SandboxError`` `noSandbox` where no trait made one.
    public static var current: Sandbox {
        get throws {
            guard let scoped else { throw SandboxError.noSandbox }
            return scoped
        }
    }

    // MARK: Devices

    /// A device of this name: the one that there is, or a new one whose app has just been installed.
    ///
    /// - Parameters:
    ///   - name: How messages call it.
    ///   - user: Who works with it; `nil` for nobody in particular. It counts only for a new device.
    ///   - options: Intervals, delays and limits of its replica, for a new device.
    /// - Throws: What the migrations and `Replica.open` throw.
    @discardableResult
    public func device(
        _ name: String, user: Principal? = nil, options: ReplicaOptions = ReplicaOptions()
    ) async throws -> SandboxDevice {
        try await device(name, user: user, options: options, on: core.plan.queue)
    }

    /// - Parameter file: Makes the device's database.
    func device(
        _ name: String, user: Principal?, options: ReplicaOptions = ReplicaOptions(),
        on file: (SandboxClock) async throws -> DatabaseQueue
    ) async throws -> SandboxDevice {
        if let known = devices.first(where: { $0.name == name }) { return known }
        let device = try await SandboxDevice(
            name: name, in: core, user: user, options: options, on: file)
        return known.withLock { devices in
            // Two tasks may have asked for it.
            if let known = devices.first(where: { $0.name == name }) { return known }
            devices.append(device)
            return device
        }
    }

    /// The devices so far, in the order in which they were made.
    public var devices: [SandboxDevice] { known.withLock { $0 } }

    // MARK: The central database

    /// The hub. A restore makes another one.
    public var hub: Hub { core.hub }

    /// Reads the central database.
    ///
    /// - Throws: What `body` throws.
    public func read<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws -> Result {
        try await core.central.read(body)
    }

    /// Writes to the central database as a program of the owner's does, a second later.
    ///
    /// - Throws: What `body` throws. Nothing is written then.
    @discardableResult
    public func write<Result: Sendable>(
        _ body: @Sendable (Database) throws -> Result
    ) async throws -> Result {
        core.time.advance(by: .seconds(1))
        return try await core.central.write(body)
    }

    /// What the hub decided between two edits, and what it refused, newest first; 10,000 at most.
    public func conflicts() async throws -> [ConflictRecord] {
        try await hub.conflicts(limit: 10_000)
    }

    // MARK: Time and backups

    /// The clock of the central database, which may be wrong.
    public var clock: SandboxClock { core.clock }

    /// Moves the sandbox's time, for all clocks.
    ///
    /// - Parameter duration: How far; negative to go back.
    public func advance(by duration: Duration) { core.time.advance(by: duration) }

    /// Copies the central database. A later backup replaces an earlier one.
    public func backUp() async throws { try await core.backUp() }

    /// Puts the central database back to its last backup, as an operator does after a failure.
    /// Devices keep what they have. A replica that runs notices it within about a second.
    ///
    /// - Throws: ``SandboxError`` `noBackup` without one.
    public func restore() async throws { try await core.restore() }
}
