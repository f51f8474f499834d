public import GRDB
public import Moorage
public import MoorageHub

/// Random histories of an app: edits on several devices, lost requests, wrong clocks, relaunches and
/// restores, from seeds.
///
/// ```swift
/// try await SandboxHistories(tables: tables, migrator: AppDatabase.migrator).run(seeds: 0..<1_000)
/// ```
///
/// In the end, all devices are online. Each history then checks that every device has the rows of
/// the hub, that nothing is left to send, that no reference leads nowhere, and what ``check``
/// demands.
public struct SandboxHistories: Sendable {
    /// One edit of the app, with random numbers from the history's seed.
    public typealias Edit = @Sendable (Database, inout SeededRandom) throws -> Void

    /// The tables that devices sync.
    public var tables: [ReplicaTable]
    /// The app's migrations.
    public var migrator: DatabaseMigrator
    /// How the hub merges, and who may do what.
    public var configuration = HubConfiguration()
    /// Makes the tables of the central database, where they differ from the app's.
    public var central: (@Sendable (Database) throws -> Void)?
    /// How many devices there are; 3 by default, and at least 1.
    public var devices = 3
    /// Who works with the devices, in turn. `nil` is nobody in particular, as by default.
    public var users: [Principal?] = [nil]
    /// How many steps a history has; 30 by default. About half of them are edits.
    public var steps = 30
    /// The app's edits. One of them is drawn for each edit. Without any, histories insert, update
    /// and delete random rows of the synced tables.
    ///
    /// An edit that SQLite refuses by a constraint, or whose record is not there, counts as one that
    /// the app did not make.
    public var edits: [Edit] = []
    /// Throws unless that is true of the rows which must be, of each device and of the central
    /// database, in the end.
    public var check: @Sendable (Database) throws -> Void = { _ in }

    /// Histories of an app's tables.
    ///
    /// - Parameters:
    ///   - tables: The tables that devices sync.
    ///   - migrator: The app's migrations.
    public init(tables: [ReplicaTable], migrator: DatabaseMigrator) {
        self.tables = tables
        self.migrator = migrator
    }

    /// What histories contained.
    public struct Summary: Hashable, Sendable {
        /// Histories that ran.
        public var histories = 0
        /// Edits that SQLite accepted, and that changed something.
        public var edits = 0
        /// Edits that a constraint refused.
        public var refusedEdits = 0
        /// Syncs that succeeded, before the end.
        public var syncs = 0
        /// Syncs that failed because of the network.
        public var lostSyncs = 0
        /// What the hub logged: conflicts and refusals.
        public var conflicts = 0

        static func + (one: Summary, other: Summary) -> Summary {
            Summary(
                histories: one.histories + other.histories, edits: one.edits + other.edits,
                refusedEdits: one.refusedEdits + other.refusedEdits,
                syncs: one.syncs + other.syncs, lostSyncs: one.lostSyncs + other.lostSyncs,
                conflicts: one.conflicts + other.conflicts)
        }
    }

    /// So many tries say that a table's constraints refuse random rows.
    private static let enoughTries = 20

    /// Runs one history for each seed, several at a time.
    ///
    /// - Parameters:
    ///   - seeds: The seeds, such as `0..<1_000`, or `17..<18` to repeat one.
    ///   - atOnce: How many histories run at a time; 4 by default.
    /// - Returns: What they contained together.
    /// - Throws: ``SandboxError`` `historyFailed` for the lowest seed that fails. `tableNotWritten`
    ///   if a table's constraints refused all random edits: give ``edits`` then.
    ///   `CancellationError`. What the migrations throw, and `HubError` as ``Sandbox``.
    @discardableResult
    public func run(seeds: Range<UInt64>, atOnce: Int = 4) async throws -> Summary {
        var summary = Summary()
        var tries: [String: SandboxHistory.Tries] = [:]
        var waiting = seeds.makeIterator()
        let beginning = try await SandboxHistory.Beginning(self)
        var failure: (seed: UInt64, error: any Error)?
        await withTaskGroup(of: (UInt64, Result<SandboxHistory, any Error>).self) { group in
            func begin() {
                // After a failure, only lower seeds matter, and all of them have begun.
                guard failure == nil, let seed = waiting.next() else { return }
                group.addTask {
                    do {
                        let history = try await SandboxHistory.run(
                            self, from: beginning, seed: seed)
                        return (seed, .success(history))
                    } catch { return (seed, .failure(error)) }
                }
            }
            for _ in 0..<max(1, atOnce) { begin() }
            while let (seed, result) = await group.next() {
                switch result {
                case .success(let history):
                    summary = summary + history.summary
                    tries.merge(history.tries) { $0 + $1 }
                case .failure(let error):
                    if failure.map({ seed < $0.seed }) ?? true { failure = (seed, error) }
                }
                begin()
            }
        }
        if let failure { throw failure.error }
        for table in tables {
            guard let tries = tries[table.name], tries.written == 0 else { continue }
            if tries.count >= Self.enoughTries {
                throw SandboxError.notWritten(table.name, tries: tries.count)
            }
        }
        return summary
    }
}
