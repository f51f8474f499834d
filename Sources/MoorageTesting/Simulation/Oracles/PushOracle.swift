import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// Judges from outside what a push did to the central database. The rows before it, the batch, the
/// configured rules and `docs/reference/merge-rules.md` determine the values after it. It skips
/// what they cannot decide.
struct PushOracle {
    /// When each replica's previous batch was prepared, by the hub's clock.
    private var prepared: [String: Int64] = [:]
    private var before: CentralSnapshot?
    /// The rows of it that the user could not see, and those that the user sees.
    private var hidden: Set<RowName> = []
    private var visible: VisibleRows?
    private var arrivedAt: Int64 = 0
    /// Whether the audit knows every key that the central database ever had.
    private let isAuditWhole: Bool

    init(_ history: History) {
        // Users may edit some rows before the hub learns of them: rows that the first contact
        // replaces, and rows that were made without triggers.
        isAuditWhole =
            !history.movesKeys
            && !history.steps.contains { step in
                switch step.action {
                case .restoreHub, .dropTriggers: true
                default: false
                }
            }
            && !history.world.devices.contains { $0.firstContact == .replace && !$0.rows.isEmpty }
    }

    /// The hub was restored, so what it knows of replicas is unknown here.
    mutating func forget() { prepared = [:] }

    /// Nothing happens between this moment and the push.
    mutating func observe(
        _ centre: SimulatedCentre, _ welcome: Welcome, _ batch: Batch?, _ visible: VisibleRows?
    ) throws {
        before = batch == nil ? nil : try CentralSnapshot(centre)
        self.visible = visible
        hidden = batch == nil ? [] : try visible?.hiddenRows() ?? []
        arrivedAt = welcome.time.milliseconds
    }

    mutating func judge(
        _ outcomes: Outcomes, _ request: ExchangeRequest, of device: SimulatedDevice,
        _ simulation: Simulation
    ) throws {
        guard outcomes.status == .applied, let batch = request.batch, let before,
            outcomes.outcomes.count == batch.changes.count
        else { return }
        self.before = nil
        let times = EditTimeModel(
            offset: arrivedAt - request.sentAt.milliseconds, now: arrivedAt,
            earliest: batch.number == 1 ? .some(nil) : prepared[request.replica].map { .some($0) })
        prepared[request.replica] = times.corrected(batch.preparedAt.milliseconds)
        let push = JudgedPush(
            batch: batch, outcomes: outcomes.outcomes, replica: request.replica, times: times,
            before: before, hidden: hidden, after: try CentralSnapshot(simulation.centre),
            rules: simulation.history.world.rules, rights: simulation.history.world.rights,
            user: device.user, centre: simulation.centre)
        try push.checkHiddenRows()
        if !push.hasMoves { try push.checkWrittenRows(visible) }
        try push.checkSeenRows(visible)
        try push.checkRows()
        for _ in 0..<(try simulation.keys.judge(push)) { simulation.reach(.keyMet) }
        if try push.checkGroups() > 0 { simulation.reach(.grouped) }
        if try push.checkDirections() > 0 { simulation.reach(.refusedDirection) }
        if try push.checkRights() > 0 { simulation.reach(.refusedRight) }
        for _ in 0..<(try push.checkFills()) { simulation.reach(.filled) }
        try push.checkColumns(simulation)
        let softDeletes = try push.checkSoftDeletes()
        for _ in 0..<softDeletes.set { simulation.reach(.softDeleted) }
        for _ in 0..<softDeletes.cleared { simulation.reach(.broughtBack) }
        try push.checkCascades()
        try push.checkTimes()
        try push.checkRefusals(isAuditWhole: isAuditWhole)
        if simulation.causes.isUnbroken { try push.checkSelfConflicts() }
        // A late batch would be compared with a log that has new entries. What belongs together may
        // also be more than the hub accepts.
        let isRoomy = simulation.history.world.hubBatchRows == HubLimits().maximumBatchRows
        if isRoomy, try device.isInFlight(batch) { try push.checkLeftBehind(on: device) }
    }
}

/// The time of an edit on the hub's clock (docs/reference/hub.md, Times).
struct EditTimeModel {
    let offset: Int64
    let now: Int64
    /// The lower bound; `.some(nil)` for no bound, `nil` when it is not known.
    let earliest: Int64??

    func corrected(_ time: Int64) -> Int64 { min(time + offset, now) }

    /// `nil` when it is not known.
    func place(_ change: Change) -> Int64? {
        if change.isAgain { return corrected(change.editedAt.milliseconds) }
        guard let earliest else { return nil }
        return max(corrected(change.editedAt.milliseconds), min(earliest ?? .min, now))
    }
}

/// One push, with the central database before and after it.
struct JudgedPush {
    let batch: Batch
    let outcomes: [Outcome]
    let replica: String
    let times: EditTimeModel
    let before: CentralSnapshot
    /// Rows that do not exist for the replica's user.
    let hidden: Set<RowName>
    let after: CentralSnapshot
    let rules: [String: TableRules]
    let rights: [String: [String: TableRights]]
    /// Who pushed.
    let user: String?
    let centre: SimulatedCentre

    var pairs: Zip2Sequence<[Change], [Outcome]> { zip(batch.changes, outcomes) }

    /// Whether rows may get other keys than they were pushed with.
    var keepsBoth: Bool { rules.values.contains(where: \.keepsBoth) }

    func columns(_ change: Change) -> [String] {
        batch.columns(of: change)?.columns ?? []
    }

    func isRefused(_ outcome: Outcome) -> Bool {
        if case .refused = outcome.kind { true } else { false }
    }

    // MARK: Which value wins

    /// What a change must have made of its row; `nil` when that cannot be decided.
    private enum Expected {
        case absent
        /// These columns have these values.
        case row([String: Value])
    }

    func checkRows() throws {
        let hasDeletes = batch.changes.contains {
            if case .delete = $0.operation { true } else { false }
        }
        for (change, outcome) in pairs {
            guard let expected = expected(change, outcome) else { continue }
            let name = change.rowName
            switch (expected, after.rows[name]) {
            case (.absent, nil): continue
            case (.absent, _?):
                throw Violation(.merge, "\(text(change)): the row must be gone")
            case (.row, nil):
                // A cascade may have deleted the row, which another check judges. A later delete of
                // the replica's own may also delete what it inserted, below a row that others moved
                // there.
                if hasDeletes, try wentWithCascade(name) { continue }
                throw Violation(.merge, "\(text(change)): the row is gone")
            case (.row(let values), let row?):
                for (column, value) in values.sorted(by: { $0.key < $1.key }) {
                    // A parent's delete may change what refers to it, and so may a parent's new
                    // key.
                    if hasDeletes || keepsBoth, try centre.isReference(column, in: change.table) {
                        continue
                    }
                    guard let now = row[column], !now.isStored(value) else { continue }
                    throw Violation(
                        .merge,
                        "\(text(change)): \(column) is \(now.literal), and \(value.literal) must stand"
                    )
                }
            }
        }
    }

    private func text(_ change: Change) -> String {
        "batch \(batch.number), \(change.table) \(change.key.values.jsonText())"
    }

    private func expected(_ change: Change, _ outcome: Outcome) -> Expected? {
        let row = before.rows[change.rowName]
        // For the replica the row does not exist, and no change reaches it.
        if hidden.contains(change.rowName), let row { return .row(row) }
        if isRefused(outcome) { return row.map(Expected.row) ?? .absent }
        let names = columns(change)
        switch change.operation {
        case .refetch: return nil
        case .insert(let values):
            let pushed = Dictionary(
                zip(names, values).filter { !isDownOnly($0.0, of: change.table) }
            ) { first, _ in first }
            guard let row else {
                // Whether a tombstone counts depends on the scope that it is in.
                if change.isAgain, isScoped(change.table) { return nil }
                return change.isAgain && before.tombstones.contains(change.rowName)
                    ? .absent : .row(pushed.filter { mayInsert($0.key, into: change.table) })
            }
            if pushed.allSatisfy({ row[$0.key]?.means($0.value) ?? true }) { return .row(row) }
            // The hub stores the pushed row beside it.
            let insertRule = rules[change.table]?.insertRule.judged ?? rule(change.table)
            if insertRule == .keepBoth { return .row(row) }
            return wins(change, insertRule).map { .row($0 ? pushed : row) }
        case .update(let all):
            guard let row = row.map({ withoutFilled($0, change) }) else { return .absent }
            let edits = all.filter { !$0.isFill }
            if isRefusedAsDeleted(change, row) { return .row(row) }
            let isInConflict = edits.contains { edit in
                row[names[edit.column]].map { !$0.means(edit.old) && !$0.means(edit.new) } ?? false
            }
            if isInConflict, rule(change.table) == .keepBoth { return .row(row) }
            if isInConflict, rules[change.table]?.granularity == .row {
                guard edits.contains(where: { isOpen($0, row, names) }) else { return .row(row) }
                return wins(change, rule(change.table)).map { isMine in
                    guard isMine else { return .row(row) }
                    let mine = edits.filter { isWritten($0, names[$0.column], change, row) }
                        .map { (names[$0.column], $0.new) }
                    // Another check judges the deletion marker of a row that comes back.
                    let theirs =
                        isSoftDeleted(row, in: change.table)
                        ? withoutMarker(row, of: change.table) ?? row : row
                    return .row(theirs.merging(mine.filter { row[$0.0] != nil }) { $1 })
                }
            }
            var values: [String: Value] = [:]
            for fill in change.fills { values[names[fill.column]] = row[names[fill.column]] }
            // Another check judges the deletion marker of a row that comes back.
            for edit in edits where edit.isChange || !isSoftDeleted(row, in: change.table) {
                guard let now = row[names[edit.column]] else { continue }
                values[names[edit.column]] = standing(edit, now, change, names[edit.column])
            }
            return .row(values)
        case .delete(let image):
            guard let row else { return .absent }
            if isSoftDeleted(row, in: change.table) { return .row(row) }
            let isUnchanged = zip(names, image).allSatisfy {
                isDownOnly($0, of: change.table) || row[$0]?.means($1) ?? true
            }
            let isMine = isUnchanged ? true : wins(change, rule(change.table))
            switch isMine {
            // Rows that it would delete by a cascade may have prevented the delete.
            case true?:
                guard outcome.kind == .applied else { return .row(row) }
                return withoutMarker(row, of: change.table).map(Expected.row) ?? .absent
            case false?: return .row(row)
            case nil: return nil
            }
        }
    }

    /// The row without columns that a fill may have changed. Rights and references decide, too.
    private func withoutFilled(_ row: [String: Value], _ change: Change) -> [String: Value] {
        let names = columns(change)
        return row.filter { name, now in
            !change.fills.contains { names[$0.column] == name && now.means($0.old) }
        }
    }

    /// Whether an edit asks for a value that the row does not have.
    private func isOpen(_ edit: ColumnEdit, _ row: [String: Value], _ names: [String]) -> Bool {
        edit.isChange && row[names[edit.column]].map { !$0.means(edit.new) } ?? false
    }

    private func standing(
        _ edit: ColumnEdit, _ now: Value, _ change: Change, _ column: String
    ) -> Value? {
        let rule = rule(change.table, column)
        if rule == .add { return sum(edit, now, change) }
        if now.means(edit.new) { return now }
        if now.means(edit.old) { return edit.new }
        switch (rule, now, edit.new) {
        case (.max, .integer(let theirs), .integer(let mine)): return .integer(max(theirs, mine))
        case (.min, .integer(let theirs), .integer(let mine)): return .integer(min(theirs, mine))
        case (.max, .real(let theirs), .real(let mine)): return .real(max(theirs, mine))
        case (.min, .real(let theirs), .real(let mine)): return .real(min(theirs, mine))
        default: return wins(change, rule).map { $0 ? edit.new : now }
        }
    }

    /// The hub does not add a change that is offered again. Values that are not integers, or sums
    /// that overflow, are not judged.
    private func sum(_ edit: ColumnEdit, _ now: Value, _ change: Change) -> Value? {
        if change.isAgain { return now }
        if now.means(edit.old) { return edit.new }
        guard case .integer(let old) = edit.old, case .integer(let new) = edit.new,
            case .integer(let now) = now
        else { return nil }
        let (difference, isTooFar) = new.subtractingReportingOverflow(old)
        let (sum, isTooMuch) = now.addingReportingOverflow(difference)
        return isTooFar || isTooMuch ? nil : .integer(sum)
    }

    private func rule(_ table: String, _ column: String? = nil) -> MergeRule {
        let rules = rules[table] ?? TableRules()
        return (column.flatMap { rules.columns[$0] } ?? rules.rule).judged
    }

    private func wins(_ change: Change, _ rule: MergeRule) -> Bool? {
        switch rule {
        case .server: return false
        case .client: return true
        case .newest:
            guard let changedAt = before.changedAt[change.rowName] else { return true }
            return times.place(change).map { $0 > changedAt }
        default: return nil
        }
    }

    // MARK: Conflicts

    /// Checks that an update is not in conflict with the replica's own value, as a trigger of the
    /// central database changed it.
    func checkSelfConflicts() throws {
        for change in batch.changes {
            // The answer does not bring a row that the device does not ask for.
            guard case .update(let edits) = change.operation, !comesOnRequest(change.table),
                !hidden.contains(change.rowName), let row = before.rows[change.rowName]
            else { continue }
            for edit in edits {
                // A reference may also differ because the office changed the parent's key.
                guard case .text(let old) = edit.old, Ledger.isToken(old),
                    let now = row[columns(change)[edit.column]], !now.means(edit.old),
                    now.isStored(edit.old)
                else { continue }
                throw Violation(
                    .merge,
                    "\(text(change)): the replica was not told that \(edit.old.literal) became \(now.literal)"
                )
            }
        }
    }

    // MARK: Cascades

    /// Checks that a row that the batch does not delete goes only with a cascade that its rule
    /// allows, and is logged.
    func checkCascades() throws {
        let deleted = Set(
            batch.changes.filter { if case .delete = $0.operation { true } else { false } }
                .map(\.rowName))
        for name in before.rows.keys where after.rows[name] == nil && !deleted.contains(name) {
            let isLogged = try wentWithCascade(name)
            guard isLogged, rules[name.table]?.rule != .server || countsAsDeleted(name) else {
                throw Violation(
                    .merge,
                    "batch \(batch.number): \(name.table) \(name.key.values.jsonText()) went with a cascade, \(isLogged ? "against its rule" : "and is not logged")"
                )
            }
        }
    }

    /// Whether the conflict log records that a row was deleted with its parent.
    private func wentWithCascade(_ name: RowName) throws -> Bool {
        try centre.write {
            try !$0.rawRows(
                """
                SELECT 1 FROM moorage_conflict WHERE replica = \(Value.text(replica).literal) \
                AND batch = \(batch.number) AND table_name = \(Value.text(name.table).literal) \
                AND row_key = \(Value.text(name.key.values.jsonText()).literal) \
                AND base IS NULL AND result IS NULL
                """
            ).isEmpty
        }
    }

    // MARK: Times

    /// Checks that the time of a row's last change never goes back, and is never ahead of the hub's
    /// clock.
    func checkTimes() throws {
        let now = centre.machine.now
        for change in batch.changes {
            guard let time = after.changedAt[change.rowName] else { continue }
            // A row that enters an area does not continue the time of one that left another area.
            if isScoped(change.table), before.rows[change.rowName] == nil { continue }
            let earlier = before.changedAt[change.rowName] ?? .min
            if time > max(now, earlier) {
                throw Violation(
                    .merge, "\(text(change)): changed \(time - now) ms from now")
            }
            // Times ahead of the clock are from before it was set back.
            if time < earlier, earlier <= times.now {
                throw Violation(
                    .merge, "\(text(change)): its last change went back by \(earlier - time) ms")
            }
        }
    }
}
