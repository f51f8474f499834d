import GRDB
import MoorageCore
import MoorageWire
import SQLiteSupport

/// Reverts local changes that no batch contains: their rows become what they were before the first
/// edit (docs/reference/client.md, Undo).
///
/// The edit may have blocked pages, so the device does not know the central row. Each row stays
/// recorded, with nothing to change, and the answer brings it (B5).
final class Reverting {
    /// A row to revert.
    struct Target {
        let table: SyncedTable
        let localKey: LocalKey
        let name: RowName
        /// The row was inserted here, so the revert removes it.
        let removes: Bool
    }

    /// The row that a revert writes.
    private struct Restored {
        let target: Target
        let exists: Bool
        let columns: [String]
        let values: [StoredValueForm]
    }

    private let transaction: StoreTransaction
    private let now: DeviceTime
    private let sent: Set<RowName>
    private var removed: [RemovedRow] = []

    init(_ transaction: StoreTransaction, now: DeviceTime) throws {
        self.transaction = transaction
        self.now = now
        sent = Set(try transaction.meta.inFlightBatch()?.batch.changes.map(\.rowName) ?? [])
    }

    private var statements: RawStatements { transaction.statements }

    private func reading(_ target: Target) -> LogReading {
        LogReading(table: target.table, statements: statements)
    }

    // MARK: What is reverted

    /// The rows of changes that were listed before.
    ///
    /// - Throws: ``ReplicaError`` when one was sent or edited since.
    func targets(_ changes: [PendingChange]) throws -> [Target] {
        let pending = try PendingReading(transaction.db)
        return try changes.compactMap { change in
            guard let stamp = change.stamp, !change.mayBeAtHub else {
                throw ReplicaError.alreadySent(change.table)
            }
            guard let table = transaction.tables.table(named: change.table) else {
                throw ReplicaError.cannotRevert(change.table, ChangeReason.tableSuspended)
            }
            let reading = LogReading(table: table, statements: statements)
            let found = try pending.change(reading, localKey: stamp.localKey)
            guard let found, found.stamp == stamp else {
                throw ReplicaError.pendingChanged(change.table)
            }
            try check(table)
            return Self.target(found, table)
        }
    }

    /// Every row that can be reverted.
    ///
    /// - Returns: The rows, and how many changes stay because the hub may have them.
    func allTargets() throws -> (targets: [Target], sent: Int) {
        let pending = try PendingReading(transaction.db)
        var targets: [Target] = []
        var stay = sent.count
        for table in transaction.tables.synced {
            let reading = LogReading(table: table, statements: statements)
            guard try !reading.isEmpty() else { continue }
            try check(table)
            try reading.makeIndexesIfLong()
            try reading.forEachRow { localKey in
                guard let change = try pending.change(reading, localKey: localKey) else {
                    return true
                }
                if change.mayBeAtHub {
                    stay += 1
                } else if let target = Self.target(change, table) {
                    targets.append(target)
                }
                return true
            }
        }
        return (targets, stay)
    }

    /// `nil` for a change that asks for nothing.
    private static func target(_ change: PendingChange, _ table: SyncedTable) -> Target? {
        guard change.kind != .refetch, let localKey = change.stamp?.localKey else { return nil }
        return Target(
            table: table, localKey: localKey, name: RowName(table: change.table, key: change.key),
            removes: change.kind == .insert)
    }

    /// While its triggers were missing, no log recorded what a row was.
    private func check(_ table: SyncedTable) throws {
        if transaction.tables.repair(of: table.name) == .none { return }
        throw ReplicaError.cannotRevert(table.name.text, ChangeReason.triggersLost)
    }

    // MARK: Reverting

    func revert(_ targets: [Target]) throws {
        for target in targets where target.removes { try remove(target) }
        var left = try targets.filter { !$0.removes }.map(restored)
        var count = -1
        while !left.isEmpty, left.count != count {
            count = left.count
            left = try left.filter { try !put($0) }
        }
        try swap(left, among: Set(targets.map(\.name)))
        for target in targets { try refetch(target) }
        try carryOut(removed)
        try checkReferences(targets)
        var tables: Set<Identifier> = []
        for target in targets where tables.insert(target.table.name).inserted {
            try transaction.notify(target.table.tracked.local.name)
            try transaction.notify(target.table.tracked.logTable)
        }
    }

    private func remove(_ target: Target) throws {
        let columns = LocalReferences(transaction).columns(
            referencedIn: target.table.tracked.local.name)
        if !columns.isEmpty,
            let row = try reading(target).removedRow(localKey: target.localKey, columns: columns)
        {
            removed.append(row)
        }
        try delete(target)
    }

    private func delete(_ target: Target) throws {
        try reading(target).deleteRow(localKey: target.localKey)
    }

    /// The row as it was: the first value that the log has of each column, and in filled columns
    /// what the hub has. Columns that are not
    /// synced stay as they are. In a deleted row they become what they were at its deletion.
    private func restored(_ target: Target) throws -> Restored {
        let reading = reading(target)
        let table = target.table
        let entries = try reading.entries(localKey: target.localKey)
        var sources: [Int: Int64] = [:]
        var whole: Int64?
        for entry in entries {
            let columns: [Int]
            switch entry.entry.kind {
            case .insert: continue
            case .update(let old): columns = old.map(\.column)
            case .fill(let old):
                // It says what the hub has, whatever the log had before.
                for fill in old { sources[fill.column] = entry.seq }
                continue
            case .delete, .candidate:
                columns = Array(table.description.columns.indices)
                whole = entry.seq
            }
            for column in columns where sources[column] == nil { sources[column] = entry.seq }
        }
        let exists = try reading.exists(localKey: target.localKey)
        var columns: [String] = []
        var values: [StoredValueForm] = []
        if !exists {
            columns = table.keyLocalNames
            values = target.localKey.values.map(StoredValueForm.value)
        }
        var images: [Int64: [StoredValueForm]] = [:]
        for place in table.tracked.logNames.indices {
            let name = table.tracked.logNames[place]
            guard let position = table.tracked.local.column(named: name),
                !table.tracked.local.columns[position].isGenerated,
                let seq = table.columnOfPlace[place].flatMap({ sources[$0] })
                    ?? (exists ? nil : whole)
            else { continue }
            let image = try images[seq] ?? reading.places(seq: seq)
            images[seq] = image
            columns.append(table.tracked.local.columns[position].name)
            values.append(image[place])
        }
        return Restored(target: target, exists: exists, columns: columns, values: values)
    }

    /// `false` when another row has a unique value that this one had.
    private func put(_ row: Restored) throws -> Bool {
        guard !row.columns.isEmpty else { return true }
        let reading = reading(row.target)
        let sql: String
        let key: [StoredValueForm]
        if row.exists {
            let first = row.target.localKey.values.count + 1
            let assignments = row.columns.enumerated().map {
                "\(SQLText.name($1)) = ?\(first + $0)"
            }
            sql = """
                UPDATE OR ABORT \(reading.target) SET \(assignments.joined(separator: ", ")) \
                WHERE \(reading.isRow)
                """
            key = row.target.localKey.values.map(StoredValueForm.value)
        } else {
            sql = """
                INSERT OR ABORT INTO \(reading.target)(\(SQLText.names(row.columns))) \
                VALUES(\(SQLText.parameters(row.columns.count)))
                """
            key = []
        }
        do {
            let statement = try statements.passing(sql)
            for (index, form) in (key + row.values).enumerated() {
                try statement.bind(form, at: index + 1)
            }
            while try statement.step() {}
            return true
        } catch let error as DatabaseError {
            switch error.extendedResultCode {
            case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY,
                .SQLITE_CONSTRAINT_ROWID:
                return false
            case _ where error.resultCode == .SQLITE_CONSTRAINT:
                // The message names the constraint, never a value.
                throw ReplicaError.cannotRevert(
                    row.target.name.table, error.message ?? ChangeReason.localConstraint)
            default: throw error
            }
        }
    }

    /// Removes all rows whose unique values are taken, and inserts them again as they were. If a
    /// row of the hub still has the value, the row is deferred, like a row of a page.
    private func swap(_ rows: [Restored], among names: Set<RowName>) throws {
        if rows.isEmpty { return }
        var whole: [Restored] = []
        for row in rows {
            guard row.exists else {
                whole.append(row)
                continue
            }
            let reading = reading(row.target)
            let all = row.target.table.tracked.local.writableNames
            let sql = "SELECT \(SQLText.names(all)) FROM \(reading.target) WHERE \(reading.isRow)"
            guard var values = try statements(sql).first(row.target.localKey.values) else {
                continue
            }
            for (name, value) in zip(row.columns, row.values) {
                if let index = all.firstIndex(where: { SQLText.isSameName($0, name) }) {
                    values[index] = value
                }
            }
            whole.append(
                Restored(target: row.target, exists: false, columns: all, values: values))
        }
        for row in rows { try delete(row.target) }
        for row in whole where try !put(row) {
            if let holder = try holder(row), !names.contains(holder), try isOpen(holder) {
                throw ReplicaError.revertBlocked(
                    row.target.name.table, by: holder, ChangeReason.uniqueValue)
            }
            try deferRow(row)
        }
    }

    private func deferRow(_ row: Restored) throws {
        let table = row.target.table
        var values = [Value](repeating: .null, count: table.description.columns.count)
        for column in table.description.columns.indices {
            let name = table.localName(column)
            guard let index = row.columns.firstIndex(where: { SQLText.isSameName($0, name) })
            else { continue }
            values[column] = table.form(column).portable(row.values[index].value)
        }
        try DeferredRows(statements: statements).add(
            PendingRow(
                name: row.target.name, columns: table.columns.columns, values: values))
    }

    /// The row that has a unique value of this one.
    private func holder(_ row: Restored) throws -> RowName? {
        let table = row.target.table
        let keys = SQLText.names(table.keyLocalNames)
        let target = reading(row.target).target
        for index in table.tracked.local.uniqueIndexes where index.isPlain {
            let values = index.columns.compactMap { column in
                row.columns.firstIndex { SQLText.isSameName($0, column.name) }
                    .map { row.values[$0].value }
            }
            guard values.count == index.columns.count, !values.contains(where: \.isNull) else {
                continue
            }
            let condition = index.columns.enumerated().map {
                """
                \(SQLText.name($1.name)) COLLATE \(SQLText.name($1.collation)) = ?\($0 + 1)
                """
            }.joined(separator: " AND ")
            let sql = "SELECT \(keys) FROM \(target) WHERE \(condition)"
            if let key = try statements(sql).first(values) {
                return table.rowName(table.key(LocalKey(key.map(\.value))))
            }
        }
        return nil
    }

    /// Whether a row has a change of its own that could be reverted as well.
    private func isOpen(_ name: RowName) throws -> Bool {
        guard let table = transaction.tables.table(named: name.table),
            let localKey = table.localKey(name.key),
            let localChange = try LogReading(table: table, statements: statements).localChange(
                localKey: localKey)
        else { return false }
        return !localChange.isAgain
    }

    // MARK: What stays

    /// Replaces the row's log entries with a refetch. A row in flight needs none, because its
    /// answer brings the row anyway.
    private func refetch(_ target: Target) throws {
        let reading = reading(target)
        for entry in try reading.entries(localKey: target.localKey) {
            try reading.delete(seq: entry.seq)
        }
        try RefusedList(statements: statements).release(target.name)
        guard !sent.contains(target.name) else { return }
        try reading.ask(localKey: target.localKey, at: now)
    }

    private func carryOut(_ removed: [RemovedRow]) throws {
        do {
            try LocalReferences(transaction).carryOut(removed)
        } catch let error as ReplicaError where error.code == .removalForbidden {
            throw ReplicaError.cannotRevert(
                removed.first?.table ?? "", ChangeReason.localReference)
        }
    }

    private func checkReferences(_ targets: [Target]) throws {
        for target in targets {
            let reading = reading(target)
            let exists = try reading.exists(localKey: target.localKey)
            try reading.recordChange(localKey: target.localKey, isGone: !exists)
        }
        let broken = try ForeignKeyCheck(transaction).broken(by: Set(targets.map(\.name)))
        for pair in broken where try isOpen(pair.other) {
            throw ReplicaError.revertBlocked(
                pair.reverted.table, by: pair.other, ChangeReason.reference)
        }
    }
}
