import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// One app on one device: its file, its machine, and the replica's real steps on them.
final class SimulatedDevice {
    let number: Int
    let machine: SimulatedMachine
    private(set) var queue: DatabaseQueue
    private var steps: ReplicaSteps
    let firstContact: ReplicaTable.FirstContact
    private let options: ReplicaOptions
    private var clockOffset: Int64
    private let clockDrift: Int64
    /// Which tables the app's version syncs.
    private(set) var tables: [String] = []
    private(set) var columns: [String: [SimulatedColumn]] = [:]
    /// Requests that went out, the latest last.
    private(set) var sent: [[UInt8]] = []
    /// In which of the two encodings it makes its exchange: now this one, now that.
    private(set) var speaksInBlocks = false
    /// The last entry of each table's log when the latest batch was cut: what is edited while it is on its
    /// way may bear the same time.
    private(set) var cut: (nonce: String, last: [String: Int64])?
    var backup: DeviceBackup?
    private let journal: SimulatedMachine.Journal
    /// Each file that takes the place of another has a name of its own.
    private var files = 0

    init(number: Int, world: SimulatedWorld, at time: Int64) throws {
        self.number = number
        let device = world.devices[number - 1]
        firstContact = device.firstContact
        clockOffset = device.clockOffset
        clockDrift = device.clockDrift
        var options = ReplicaOptions()
        options.maximumRowsPerBatch = world.batchRows
        options.pageLimits = PageLimits(
            maximumRows: world.pageRows, maximumPages: world.pages)
        self.options = options
        journal = device.journal
        machine = SimulatedMachine(
            disk: journal == .memory
                ? nil : try SimulatedDisk(seed: world.seed &+ UInt64(number)))
        queue = try machine.open("0", journal: journal)
        steps = ReplicaSteps(tables: [])
        for sql in (device.schema ?? world.schema) + device.rows {
            _ = try write { try $0.commit(sql) }
        }
        turn(to: time, salt: UInt64(number))
        try reopen()
    }

    // MARK: Time

    /// It is this device's turn: its clock and its random numbers are those of the step.
    func turn(to time: Int64, salt: UInt64) {
        let drift = (time / 1000) * clockDrift / 1000
        machine.now = SimulationClock.start + time + clockOffset + drift
        machine.random = SeededGenerator(seed: salt &+ UInt64(number) &* 0x9E37_79B9)
    }

    func setClock(by milliseconds: Int64) {
        clockOffset += milliseconds
        machine.now += milliseconds
    }

    // MARK: The file

    /// The system at work: it may be broken off.
    private func work<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.writeWithoutTransaction(body)
    }

    /// Everyone else.
    func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try machine.undisturbed { try queue.writeWithoutTransaction(body) }
    }

    /// The app starts: what is in the file is all there is.
    func reopen() throws {
        try write { db in
            tables = try db.rawRows(
                """
                SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' \
                ESCAPE '\\' AND name NOT LIKE '\\_moorage\\_%' ESCAPE '\\' AND name NOT LIKE \
                'local\\_%' ESCAPE '\\' ORDER BY name
                """
            ).compactMap { if case .text(let name) = $0[0] { name } else { nil } }
            columns = [:]
            for table in tables { columns[table] = try db.simulatedColumns(of: table) }
            db.clearSchemaCache()
            steps = ReplicaSteps(
                tables: tables.map { .table($0, firstContact: firstContact) },
                compactedFrom: 3)
            try steps.open(db, newID: machine.newID())
        }
    }

    /// A user's transaction.
    ///
    /// - Returns: Whether it was committed.
    func edit(_ sql: String) throws -> Bool { try write { try $0.commit(sql) } }

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

    /// The disk is whole again; where its power was gone, the app starts anew on what is left.
    ///
    /// - Returns: Whether the power was gone.
    func mendDisk() throws -> Bool {
        guard try machine.mendDisk() else { return false }
        queue = try machine.undisturbed { try machine.open(String(files), journal: journal) }
        let whole = try write { try $0.rawRows("PRAGMA integrity_check") }
        guard whole == [[.text("ok")]] else {
            throw Violation(.errors, "device \(number): the file is broken after a power cut")
        }
        try reopen()
        return true
    }

    // MARK: An exchange, step by step

    /// - Parameters:
    ///   - schema: Asks the hub for its schema.
    ///   - compare: Asks the hub for a page of a comparison.
    func prepare(
        schema: () throws -> SchemaAnswer,
        compare: (CompareRequest) throws -> CompareAnswer
    ) throws -> (request: ExchangeRequest, bytes: [UInt8]) {
        let isKnown = try write { try steps.hasMetHub($0) }
        if !isKnown {
            let answer = try schema()
            try work { try steps.meet($0, answer) }
        }
        let result = try work { db in
            try steps.recompare(db, rows: options.pageLimits.maximumRows, now: machine.now) {
                try compare($0)
            }
            speaksInBlocks = machine.now % 2 == 0
            let (request, bytes) = try steps.request(
                db, options: options, now: machine.now, nonce: machine.newID(),
                inBlocks: speaksInBlocks)
            sent.append(bytes)
            if sent.count > 8 { sent.removeFirst() }
            return (request, bytes)
        }
        if let batch = result.0.batch, batch.nonce != cut?.nonce {
            cut = (batch.nonce, try lastEntries())
        }
        return result
    }

    func take(_ frame: Frame, of exchange: inout ReplicaExchange) throws -> ReplicaSteps.Effect {
        try work {
            try steps.take(
                frame, of: &exchange, $0, now: machine.now, newID: { machine.newID() })
        }
    }

    func state() throws -> ReplicaSteps.State { try write { try steps.state($0) } }
    func cursor() throws -> SyncCursor { try write { try steps.cursor($0) } }
    func hasNotes() throws -> Bool { try write { try steps.hasNotes($0) } }
}

/// A device's file as it was, and what was owed of it then.
struct DeviceBackup {
    let file: DatabaseQueue
    let entries: Set<Ledger.Entry>
}

/// When simulated worlds begin.
enum SimulationClock {
    /// 14 November 2023, in milliseconds since 1970.
    static let start: Int64 = 1_700_000_000_000
}
