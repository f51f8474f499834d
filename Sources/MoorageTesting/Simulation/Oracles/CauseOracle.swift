import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// Checks that remedies have a cause in the history and work as they must. The remedies are a new
/// name, reading again and offering again.
struct CauseOracle {
    let mayFork: Bool
    private let mayReconcile: Bool
    private let isClockTrue: Bool
    private let isTraceable: Bool
    /// Whether scopes in a request may differ from those that the hub knows. A restored file may
    /// name scopes that the hub no longer knows. An old request that arrives again may make the hub
    /// forget scopes that the user lost meanwhile. Two exchanges at once may ask for different
    /// scopes, if a subscription ends between them.
    private let mayNameOtherScopes: Bool
    /// Whether every local change starts from the last value of the hub or of the device itself.
    var isUnbroken: Bool { isTraceable && !mayFork }
    private let retention: Int64
    /// When a checkpoint was first seen on any device.
    private var seen: [String: Int64] = [:]
    /// Inserts in the in-flight batch when a device took another name.
    private var owedAgain: [Int: Set<RowName>] = [:]
    /// What the hub refused of a batch, by its nonce, until the batch is answered.
    private var refused: [String: [RowName]] = [:]
    /// Rows that a device had from the hub, without a local change, when it last applied a page.
    private var held: [Int: Set<RowName>] = [:]
    /// Rows that the hub asked a device to send whole.
    private var askedFor: [Int: Set<RowName>] = [:]
    /// Values that were in a batch, or on devices before they were replicas.
    private var known: Set<String>

    init(_ history: History) {
        mayReconcile = history.steps.contains { $0.action == .restoreHub }
        isClockTrue = !history.steps.contains {
            if case .hubClock = $0.action { true } else { false }
        }
        let isRedelivered = history.steps.contains {
            if case .redeliver = $0.action { true } else { false }
        }
        mayFork = history.steps.contains { step in
            switch step.action {
            case .restore, .copy, .restoreHub: true
            // The hub did not take a batch of a suspended table, and takes it from an old request
            // once the table is attached. The device has cut another batch meanwhile.
            case .attach: isRedelivered
            default: false
            }
        }
        mayNameOtherScopes =
            (mayFork || isRedelivered || history.mayEndBetweenExchanges)
            && !history.world.scopes.isEmpty
        isTraceable = !history.steps.contains { step in
            switch step.action {
            case .restoreHub, .dropTriggers, .migrate, .attach, .alter, .upgrade: true
            default: false
            }
        }
        retention = Int64(history.world.retentionHours) * 3_600_000
        known = Set(history.world.devices.flatMap { $0.rows.flatMap(Ledger.values(in:)) })
    }

    // MARK: Batches

    /// Checks that before-images are values that the central database had or that were pushed
    /// before. A change that is offered again must say so.
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
        let values = batch.changes.flatMap { change -> [String] in
            // A file that finds itself a copy deletes a row as it was when it was inserted. Nobody
            // knows which of its states the other file has pushed.
            if mayFork, change.isAgain, case .delete = change.operation { return [] }
            // A device never pushes what its app wrote into a down-only column.
            return Self.beforeImage(
                change, without: centre.columnSettings[change.table]?.downOnly ?? [],
                batch.columns(of: change)?.columns ?? [])
        }
        for value in values where !known.contains(value) {
            let sql = "SELECT 1 FROM sim_audit WHERE val = \(Value.text(value).literal) LIMIT 1"
            guard try centre.write({ try $0.rawRows(sql).isEmpty }) else { continue }
            throw Violation(
                .cause, "device \(device.number): \(value) is a before-image, and was never pushed")
        }
    }

    /// Checks that a device does not push a row from the hub as its own insert, whatever happened
    /// to the row meanwhile.
    private mutating func checkInserts(_ batch: Batch, _ device: SimulatedDevice) throws {
        for change in batch.changes
        where held[device.number]?.remove(change.rowName) != nil && !change.isAgain {
            guard case .insert = change.operation,
                askedFor[device.number]?.contains(change.rowName) != true
            else { continue }
            throw Violation(
                .cause,
                "device \(device.number): \(change.table) \(change.key.values.jsonText()) came from the hub, and is pushed as an insert"
            )
        }
    }

    /// The hub asked for the whole row, wherever the row came from.
    mutating func sentWhole(_ change: Change, by device: SimulatedDevice) {
        askedFor[device.number, default: []].insert(change.rowName)
    }

    private static func beforeImage(
        _ change: Change, without own: Set<String>, _ columns: [String]
    ) -> [String] {
        let values: [(column: Int, value: Value)] =
            switch change.operation {
            case .update(let edits): edits.map { ($0.column, $0.old) }
            case .delete(let row): Array(row.enumerated().map { ($0.offset, $0.element) })
            case .insert, .refetch: []
            }
        return values.filter { !own.contains(columns[$0.column]) }.map(\.value).compactMap(
            CentralAudit.text
        ).filter(Ledger.isToken)
    }

    // MARK: Refusals

    mutating func refused(_ batch: Batch, _ outcomes: [Outcome]) {
        let names = zip(batch.changes, outcomes).compactMap { change, outcome -> RowName? in
            // A row that the device sends whole again is not refused yet.
            guard case .refused(let refusal) = outcome.kind, refusal.code != .resurrect else {
                return nil
            }
            if case .refetch = change.operation { return nil }
            return change.rowName
        }
        // A central database that was restored meanwhile may accept what it refused before.
        refused[batch.nonce] = names.isEmpty ? nil : names
    }

    /// Checks that the device lists what the hub refused once the batch is answered.
    mutating func applied(_ batch: Batch?, on device: SimulatedDevice) throws {
        if isTraceable { held[device.number] = try device.rowsWithoutLocalChanges() }
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

    mutating func saw(_ checkpoints: [Checkpoint], at time: Int64) {
        for checkpoint in checkpoints where seen[checkpoint.text] == nil {
            seen[checkpoint.text] = time
        }
    }

    /// - Parameter inFlight: The rows that were in flight before.
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

    /// Another file replaced the device's.
    mutating func replaced(_ device: SimulatedDevice) {
        owedAgain[device.number] = nil
        held[device.number] = nil
    }

    mutating func rescan(
        _ device: SimulatedDevice, _ request: ExchangeRequest, at time: Int64
    ) throws {
        held[device.number] = nil
        guard isClockTrue, !mayNameOtherScopes else { return }
        let isOld = request.cursor.checkpoints.contains { checkpoint in
            seen[checkpoint.text].map { time - $0 >= retention - 1000 } ?? true
        }
        guard !isOld else { return }
        throw Violation(
            .cause, "device \(device.number) reads again, and was not away for the retention time")
    }
}

extension History {
    /// Whether a subscription may end between two exchanges of one device that overlap.
    fileprivate var mayEndBetweenExchanges: Bool {
        let hasEnds = steps.contains { step in
            if case .subscribe(_, _, _, .some) = step.action { true } else { false }
        }
        return hasEnds
            && steps.contains { step in
                guard case .exchange(_, let events) = step.action else { return false }
                return events.contains { $0.what == .interleave }
            }
    }
}
