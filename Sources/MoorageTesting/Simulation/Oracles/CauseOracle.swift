import GRDB
import MoorageCore
import MoorageWire

/// Remedies are for what they are for: a new name, reading anew and offering again happen where the
/// history has a cause for them, and are carried out as they must be.
struct CauseOracle {
    let mayFork: Bool
    private let mayReconcile: Bool
    private let isClockTrue: Bool
    private let isTraceable: Bool
    /// Whether every note begins with what the hub, or the device itself, said last.
    var isUnbroken: Bool { isTraceable && !mayFork }
    private let retention: Int64
    /// When a mark was first seen on any device.
    private var seen: [String: Int64] = [:]
    /// Inserts that were in flight when a device took another name.
    private var owedAgain: [Int: Set<RowName>] = [:]
    /// What the hub refused of a batch, by its nonce, until the batch is settled.
    private var refused: [String: [RowName]] = [:]
    /// Rows that a device had from the hub, without a note, when it last took a page.
    private var held: [Int: Set<RowName>] = [:]
    /// Values that were in a batch, or on devices before they were replicas.
    private var known: Set<String>

    init(_ history: History) {
        mayFork = history.steps.contains { step in
            switch step.action {
            case .restore, .copy, .restoreHub: true
            default: false
            }
        }
        mayReconcile = history.steps.contains { $0.action == .restoreHub }
        isClockTrue = !history.steps.contains {
            if case .hubClock = $0.action { true } else { false }
        }
        isTraceable = !history.steps.contains { step in
            switch step.action {
            case .restoreHub, .dropTriggers, .migrate, .attach: true
            default: false
            }
        }
        retention = Int64(history.world.retentionHours) * 3_600_000
        known = Set(history.world.devices.flatMap { $0.rows.flatMap(Ledger.values(in:)) })
    }

    // MARK: Batches

    /// Before-images are what the centre held, or what was pushed before; and what is offered again
    /// says so.
    mutating func sent(
        _ batch: Batch?, by device: SimulatedDevice, _ centre: SimulatedCentre
    ) throws {
        guard let batch else { return }
        for change in batch.changes
        where owedAgain[device.number]?.remove(change.rowName) != nil && !change.isAgain {
            throw Violation(
                .cause,
                "device \(device.number): \(change.table) \(change.key.values.jsonText()) is offered again, and not marked so"
            )
        }
        if isTraceable {
            try checkBeforeImages(batch, device, centre)
            try checkInserts(batch, device)
        }
        known.formUnion(Ledger.values(of: batch))
    }

    private func checkBeforeImages(
        _ batch: Batch, _ device: SimulatedDevice, _ centre: SimulatedCentre
    ) throws {
        for value in batch.changes.flatMap(Self.beforeImage) where !known.contains(value) {
            let sql = "SELECT 1 FROM sim_audit WHERE val = \(Value.text(value).literal) LIMIT 1"
            guard try centre.write({ try $0.rawRows(sql).isEmpty }) else { continue }
            throw Violation(
                .cause, "device \(device.number): \(value) is a before-image, and was never pushed")
        }
    }

    /// What came from the hub is no insert of the device's, whatever became of it meanwhile.
    private mutating func checkInserts(_ batch: Batch, _ device: SimulatedDevice) throws {
        for change in batch.changes
        where held[device.number]?.remove(change.rowName) != nil && !change.isAgain {
            guard case .insert = change.operation else { continue }
            throw Violation(
                .cause,
                "device \(device.number): \(change.table) \(change.key.values.jsonText()) came from the hub, and is pushed as an insert"
            )
        }
    }

    private static func beforeImage(_ change: Change) -> [String] {
        let values: [Value] =
            switch change.operation {
            case .update(let edits): edits.map(\.old)
            case .delete(let row): row
            case .insert, .touch: []
            }
        return values.compactMap(CentralAudit.text).filter(Ledger.isToken)
    }

    // MARK: Refusals

    mutating func refused(_ batch: Batch, _ outcomes: [Outcome]) {
        let names = zip(batch.changes, outcomes).compactMap { change, outcome -> RowName? in
            guard case .refused = outcome.kind else { return nil }
            if case .touch = change.operation { return nil }
            return change.rowName
        }
        // A centre that was restored meanwhile may take what it refused before.
        refused[batch.nonce] = names.isEmpty ? nil : names
    }

    /// What the hub refused is on the device's list once the batch is settled.
    mutating func applied(_ batch: Batch?, on device: SimulatedDevice) throws {
        if isTraceable { held[device.number] = try device.rowsWithoutNotes() }
        guard let batch, let names = refused[batch.nonce] else { return }
        let nonce = Value.text(batch.nonce).literal
        try device.write { db in
            guard
                try db.rawRows("SELECT 1 FROM _moorage_inflight WHERE nonce = \(nonce)").isEmpty
            else { return }
            refused[batch.nonce] = nil
            for name in names {
                let key = name.key.values.jsonText()
                let isListed = try !db.rawRows(
                    """
                    SELECT 1 FROM _moorage_refused WHERE tbl = \(Value.text(name.table).literal) \
                    AND key = \(Value.text(key).literal)
                    """
                ).isEmpty
                guard !isListed else { continue }
                throw Violation(
                    .honestStatus,
                    "device \(device.number): \(name.table) \(key) was refused, and is on no list")
            }
        }
    }

    // MARK: Remedies

    mutating func saw(_ marks: [Mark], at time: Int64) {
        for mark in marks where seen[mark.text] == nil { seen[mark.text] = time }
    }

    /// - Parameter inFlight: What was in flight before.
    mutating func forked(
        _ device: SimulatedDevice, _ request: ExchangeRequest, inFlight: [RowName]
    ) throws {
        guard mayFork else {
            throw Violation(
                .cause, "device \(device.number) took another name, and no file was restored")
        }
        owe(device, request, inFlight)
    }

    mutating func reconciled(
        _ device: SimulatedDevice, _ request: ExchangeRequest, inFlight: [RowName]
    ) throws {
        guard mayReconcile else {
            throw Violation(
                .cause, "device \(device.number) reconciled, and the centre was never restored")
        }
        owe(device, request, inFlight)
    }

    private mutating func owe(
        _ device: SimulatedDevice, _ request: ExchangeRequest, _ inFlight: [RowName]
    ) {
        let inserted = (request.batch?.changes ?? []).filter {
            if case .insert = $0.operation { true } else { false }
        }
        held[device.number] = nil
        owedAgain[device.number] = Set(inserted.map(\.rowName)).intersection(inFlight)
    }

    /// Another file is in the device's place.
    mutating func replaced(_ device: SimulatedDevice) {
        owedAgain[device.number] = nil
        held[device.number] = nil
    }

    mutating func readAnew(
        _ device: SimulatedDevice, _ request: ExchangeRequest, at time: Int64
    ) throws {
        held[device.number] = nil
        guard isClockTrue else { return }
        let isOld = request.cursor.marks.contains { mark in
            seen[mark.text].map { time - $0 >= retention - 1000 } ?? true
        }
        guard !isOld else { return }
        throw Violation(
            .cause, "device \(device.number) reads anew, and was not away for the retention time")
    }
}
