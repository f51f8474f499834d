import GRDB
import Moorage
import MoorageCore

/// One history while it runs.
struct SandboxHistory: Sendable {
    let plan: SandboxHistories
    let sandbox: Sandbox
    var random: SeededRandom
    var summary = SandboxHistories.Summary(histories: 1)
    /// Random edits, by table.
    var tries: [String: Tries] = [:]
    private var hasBackup = false

    /// What every history begins with: migrations and attaching would take most of its time.
    struct Beginning: Sendable {
        /// Its hub is attached.
        let sandbox: Sandbox
        /// A device's file with the app's tables.
        let file: DatabaseQueue

        init(_ plan: SandboxHistories) async throws {
            sandbox = try await Sandbox(
                tables: plan.tables, migrator: plan.migrator, configuration: plan.configuration,
                central: plan.central)
            file = try sandbox.core.plan.queue(sandbox.clock)
            try plan.migrator.migrate(file)
        }
    }

    /// How many inserts and updates of random rows there were, and how many changed a row.
    struct Tries: Sendable {
        var count = 0
        var written = 0

        static func + (one: Tries, other: Tries) -> Tries {
            Tries(count: one.count + other.count, written: one.written + other.written)
        }
    }

    /// - Throws: ``SandboxError`` `historyFailed`, and `CancellationError`.
    static func run(
        _ plan: SandboxHistories, from beginning: Beginning, seed: UInt64
    ) async throws -> SandboxHistory {
        do {
            var history = SandboxHistory(
                plan: plan, sandbox: try await Sandbox(copying: beginning.sandbox, seed: seed),
                random: SeededRandom(seed: seed))
            try await history.run(from: beginning)
            return history
        } catch let error as CancellationError {
            throw error
        } catch {
            throw SandboxError.failed(seed: seed, error)
        }
    }

    private init(plan: SandboxHistories, sandbox: Sandbox, random: SeededRandom) {
        self.plan = plan
        self.sandbox = sandbox
        self.random = random
    }

    private mutating func run(from beginning: Beginning) async throws {
        for number in 0..<max(1, plan.devices) {
            let user = plan.users.isEmpty ? nil : plan.users[number % plan.users.count]
            _ = try await sandbox.device("device \(number + 1)", user: user) { [sandbox] clock in
                try await sandbox.core.plan.copy(of: beginning.file, clock)
            }
        }
        let devices = sandbox.devices
        for _ in 0..<max(0, plan.steps) {
            try Task.checkCancellation()
            let device = devices[Int.random(in: devices.indices, using: &random)]
            try await step(device)
        }
        for device in devices { device.network = .online }
        try await sandbox.syncAll()
        try await check(devices)
        summary.conflicts = try await sandbox.conflicts().count
    }

    private mutating func step(_ device: SandboxDevice) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<45: try await edit { try await device.write($0) }
        case ..<55: try await edit { [sandbox] in try await sandbox.write($0) }
        case ..<85: try await sync(device)
        case ..<91: device.network = network()
        case ..<93: device.clock.offset = .seconds(Int.random(in: -7_200...7_200, using: &random))
        case ..<95: try await device.relaunch()
        case ..<97: sandbox.advance(by: .seconds(Int.random(in: 60...86_400, using: &random)))
        case ..<98: try await restore(device)
        default: try await restoreCentral()
        }
    }

    private mutating func network() -> SandboxNetwork {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .offline
        case 1: .lossy(0.3)
        default: .online
        }
    }

    private mutating func sync(_ device: SandboxDevice) async throws {
        do {
            try await device.sync()
            summary.syncs += 1
        } catch let error as ReplicaError where error.isOfTheNetwork {
            summary.lostSyncs += 1
        }
    }

    private mutating func restoreCentral() async throws {
        if hasBackup {
            try await sandbox.restore()
        } else {
            try await sandbox.backUp()
        }
        hasBackup.toggle()
    }

    /// Puts a device back to its last backup, or makes one.
    private func restore(_ device: SandboxDevice) async throws {
        do {
            try await device.restore()
        } catch let error as SandboxError where error.code == .noBackup {
            try await device.backUp()
        }
    }

    // MARK: Edits

    private struct Edited: Sendable {
        let isChanged: Bool
        let random: SeededRandom
    }

    /// One edit of the app, on a device or by the owner.
    private mutating func edit(
        _ write: (@escaping @Sendable (Database) throws -> Edited) async throws -> Edited
    ) async throws {
        let edit = plan.edits.randomElement(using: &random)
        let kind = RandomEdit.Kind(&random)
        let table = plan.tables.map(\.name).randomElement(using: &random)
        let before = random
        // What an edit drew that was refused is not drawn again.
        _ = random.next()
        if edit == nil, kind != .delete, let table { tries[table, default: Tries()].count += 1 }
        do {
            let edited = try await write { db in
                var random = before
                let changes = db.totalChangesCount
                if let edit {
                    try edit(db, &random)
                } else if let table {
                    try RandomEdit.run(kind, of: table, db, &random)
                }
                return Edited(isChanged: db.totalChangesCount > changes, random: random)
            }
            random = edited.random
            guard edited.isChanged else { return }
            summary.edits += 1
            if edit == nil, let table { tries[table, default: Tries()].written += 1 }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            summary.refusedEdits += 1
        } catch RecordError.recordNotFound {
            summary.refusedEdits += 1
        }
    }

    // MARK: The end

    private func check(_ devices: [SandboxDevice]) async throws {
        let plan = plan
        try await sandbox.read { db in
            try Self.checkReferences(of: plan.tables, "the hub", db)
            try plan.check(db)
        }
        for device in devices {
            try await device.read { db in
                try Self.checkReferences(of: plan.tables, device.name, db)
                try plan.check(db)
            }
        }
    }

    private static func checkReferences(
        of tables: [ReplicaTable], _ place: String, _ db: Database
    ) throws {
        let dangling = try tables.map(\.name).filter { table in
            try db.tableExists(table)
                && Row.fetchOne(db, sql: "PRAGMA foreign_key_check(\(SQLText.name(table)))") != nil
        }
        if !dangling.isEmpty { throw SandboxError.danglingReferences(place, dangling) }
    }
}
