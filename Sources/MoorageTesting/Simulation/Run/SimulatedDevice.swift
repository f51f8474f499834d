import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// One app on one device: its file, its machine, and the replica's own ``SyncMachine`` on them.
final class SimulatedDevice {
    let number: Int
    let machine: SimulatedMachine
    private(set) var queue: DatabaseQueue
    private var file: ReplicaFile
    let firstContact: ReplicaTable.FirstContact
    /// The user who works with it.
    var user: String?
    /// The user whose file it is: its changes go up as this user's, or not at all.
    private(set) var owner: String?
    /// Whether the hub ordered it to delete its data, and has not let it in since.
    var isWiped = false
    let options: ReplicaOptions
    private var clockOffset: Int64
    private let clockDrift: Int64
    /// Which tables the app's version syncs.
    private(set) var tables: [String] = []
    private(set) var columns: [String: [SimulatedColumn]] = [:]
    /// Requests that it sent, the latest last.
    private(set) var sent: [[UInt8]] = []
    /// The scopes that the latest of them asked for.
    private(set) var requested: [RequestedScope] = []
    /// Which of the two encodings its exchange uses. The time decides, so that it uses both.
    private(set) var speaksInBlocks = false
    /// The last entry of each table's log when the latest batch was cut. An edit while the batch is
    /// on its way may have the same time.
    private(set) var cut: (nonce: String, last: [String: Int64])?
    var backup: DeviceBackup?
    private let journal: SimulatedMachine.Journal
    /// The renames that the app names in its list of tables.
    private let toldRenames: [SimulatedRename]
    /// Each file that replaces another has a name of its own.
    private var files = 0
    /// How often the app was started.
    private(set) var starts = 0

    init(number: Int, world: SimulatedWorld, at time: Int64) throws {
        self.number = number
        let device = world.devices[number - 1]
        firstContact = device.firstContact
        user = device.user
        owner = device.user
        clockOffset = device.clockOffset
        clockDrift = device.clockDrift
        var options = ReplicaOptions()
        options.maximumRowsPerBatch = world.batchRows
        options.pageLimits = PageLimits(
            maximumRows: world.pageRows, maximumPages: world.pages)
        // The same on every machine.
        options.device.platform = "simulated"
        self.options = options
        journal = device.journal
        toldRenames = world.renames.filter(\.isTold)
        machine = SimulatedMachine(
            disk: journal == .memory
                ? nil : try SimulatedDisk(seed: world.seed &+ UInt64(number)))
        queue = try machine.open("0", journal: journal)
        file = ReplicaFile(tables: [])
        for sql in (device.schema ?? world.schema) + device.rows {
            _ = try write { try $0.commit(sql) }
        }
        advance(to: time, salt: UInt64(number))
        try reopen()
    }

    /// Its user, as the server knows them.
    var principal: Principal? { user.map { Principal(subject: $0, claims: ["roles": [$0]]) } }

    // MARK: Time

    /// Sets its clock and its random numbers to those of the step.
    func advance(to time: Int64, salt: UInt64) {
        let drift = (time / 1000) * clockDrift / 1000
        machine.now = SimulationClock.start + time + clockOffset + drift
        machine.random = SeededGenerator(seed: salt &+ UInt64(number) &* 0x9E37_79B9)
    }

    func setClock(by milliseconds: Int64) {
        clockOffset += milliseconds
        machine.now += milliseconds
    }

    // MARK: The file

    /// Runs work of the system, which may be interrupted.
    private func work<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.writeWithoutTransaction(body)
    }

    /// Runs work of everyone else, which is never interrupted.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try machine.undisturbed { try queue.writeWithoutTransaction(body) }
    }

    /// The app starts, with nothing but what is in the file.
    func reopen() throws {
        starts += 1
        try write { db in
            tables = try db.rawRows(
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' \
                ESCAPE '\\' AND name NOT LIKE '\\_moorage\\_%' ESCAPE '\\' AND name NOT LIKE \
                'local\\_%' ESCAPE '\\' AND name NOT LIKE 'grdb\\_%' ESCAPE '\\' ORDER BY name
                """
            ).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
            columns = [:]
            for table in tables { columns[table] = try db.simulatedColumns(of: table) }
            db.clearSchemaCache()
            file = newFile()
            try file.open(db, newID: machine.newID())
        }
    }

    /// The file object for a copy of the file.
    func twinFile() -> ReplicaFile { file.twin() }

    /// The file as an app of this version opens it.
    private func newFile() -> ReplicaFile {
        ReplicaFile(
            tables: tables.map { table -> ReplicaTable in
                let told = toldRenames.filter { $0.table == table }
                return .table(
                    table, firstContact: firstContact,
                    renamed: Dictionary(told.map { ($0.old, $0.new) }) { first, _ in first })
            }, compactedFrom: 3)
    }

    /// A user's transaction.
    ///
    /// - Returns: Whether it was committed.
    func edit(_ sql: String) throws -> Bool { try write { try $0.commit(sql) } }

    /// One file replaces another. A file that never met the hub belongs to the device's present
    /// user.
    ///
    /// - Returns: Whether the file never met the hub.
    @discardableResult
    func belongs(to user: String?) throws -> Bool {
        let isNobodys = try state().user == nil
        owner = isNobodys ? self.user : user
        return isNobodys
    }

    func backUp() throws -> DatabaseQueue {
        let copy = try DatabaseQueue()
        try queue.backup(to: copy)
        return copy
    }

    func restore(_ file: DatabaseQueue) throws {
        files += 1
        let copy = try machine.open(String(files), journal: journal)
        try file.backup(to: copy)
        queue = copy
        try reopen()
    }

    /// Repairs the disk. After a power cut, the app starts again on what is left.
    ///
    /// - Returns: Whether the power was cut.
    func repairDisk() throws -> Bool {
        guard try machine.repairDisk() else { return false }
        queue = try machine.undisturbed { try machine.open(String(files), journal: journal) }
        let whole = try write { try $0.rawRows("PRAGMA integrity_check") }
        guard whole == [[.text("ok")]] else {
            throw Violation(.errors, "device \(number): the file is broken after a power cut")
        }
        try reopen()
        return true
    }

    /// Empties the file for another user, and gives it a new name.
    func startOver() throws {
        let id = machine.newID()
        try write { try file.startOver($0, newID: id) }
        owner = user
    }

    /// Empties the file, as the hub ordered.
    func wipe() throws { try write { try file.wipe($0) } }

    // MARK: Subscriptions

    /// - Returns: Whether the hub has to be asked.
    func subscribe(
        to area: String, _ priority: ScopePriority, timeToLive: Int64?
    ) throws -> Bool {
        try write {
            try file.subscribe(
                $0, to: SimulatedScopes.scope(of: area).name, priority: priority,
                timeToLive: timeToLive.map { .milliseconds($0) }, now: machine.deviceTime)
        }
    }

    /// - Returns: Whether there was a subscription.
    func unsubscribe(from area: String) throws -> Bool {
        try write { try file.unsubscribe($0, from: SimulatedScopes.scope(of: area).name) }
    }

    /// What the app sees of its subscriptions.
    func subscriptions() throws -> [Subscription] { try write { try file.subscriptions($0) } }

    // MARK: A sync, step by step

    func newSync(isLive: Bool = false) -> SyncMachine { file.sync(options, isLive: isLive) }

    /// Continues up to the next exchange.
    ///
    /// - Parameters:
    ///   - event: What happened: the sync begins, or an answer is over.
    ///   - schema: Asks the hub for its schema.
    ///   - compare: Asks the hub for a page of a comparison.
    /// - Returns: `nil` when the sync is done.
    func proceed(
        _ event: SyncMachine.Event, of sync: inout SyncMachine,
        schema: () throws -> SchemaAnswer,
        compare: (CompareRequest) throws -> CompareAnswer
    ) throws -> (request: ExchangeRequest, bytes: [UInt8])? {
        var event = event
        while true {
            let step = try work {
                try sync.proceed(event, $0, at: machine.deviceTime, newID: { machine.newID() })
            }
            switch step {
            case .meet: event = .schema(try schema())
            case .compare(let request):
                do {
                    event = .compared(try compare(request))
                } catch let error as HubError {
                    event = .notCompared(error)
                }
            case .send(let request, let batch): return (request, try sends(request, batch))
            case .done, .needsSync: return nil
            }
        }
    }

    /// Encodes the request and records it as sent.
    private func sends(_ request: ExchangeRequest, _ batch: [UInt8]?) throws -> [UInt8] {
        speaksInBlocks = machine.now % 2 == 0
        let bytes = speaksInBlocks ? request.block(batch: batch) : request.encoded()
        sent.append(bytes)
        if sent.count > 8 { sent.removeFirst() }
        requested = request.scopes
        if let batch = request.batch, batch.nonce != cut?.nonce {
            cut = (batch.nonce, try lastEntries())
        }
        return bytes
    }

    func receive(_ frame: Frame, of sync: inout SyncMachine) throws -> SyncMachine.Received {
        try work {
            try sync.receive(frame, $0, at: machine.deviceTime, newID: { machine.newID() })
        }
    }

    func state() throws -> ReplicaFile.State { try write { try file.state($0) } }
    func cursor() throws -> SyncCursor { try write { try file.cursor($0) } }
    func hasLocalChanges() throws -> Bool { try write { try file.hasLocalChanges($0) } }
}

/// A device's file as it was, and the values that it owed then.
struct DeviceBackup {
    let file: DatabaseQueue
    let owner: String?
    let entries: Set<Ledger.Entry>
}

/// When simulated worlds begin.
enum SimulationClock {
    /// 14 November 2023, in milliseconds since 1970.
    static let start: Int64 = 1_700_000_000_000
}
