import GRDB
import MoorageCore
import MoorageWire
import SQLiteSupport

/// Writes the hub's rows into one table, and keeps what was edited here.
final class TableWriter {
    let table: SyncedTable
    private let statements: RawStatements
    private let reading: LogReading
    private let isRecorded: Bool
    private let tracksUnconfirmed: Bool
    /// Whether rows that the hub does not bring again are listed, because they came from it once.
    private let listsUnconfirmed: Bool
    private let now: DeviceTime
    private let referencedColumns: [String]
    private(set) var hasWritten = false
    /// Whether a page kept a value of this device, and logged it as a fill.
    private(set) var hasFilled = false
    private var changedKeys: ChangedKeys
    private let fills: UndecidedFills
    private let hasUndecidedFills: Bool
    /// Columns that are synced since the table was last read.
    private let unreadColumns: Set<Int>
    /// The rows of a page have the same columns, so their statement is looked up once.
    private var lastUpsert: (columns: [Int], statement: RawStatement)?

    enum Written {
        case written
        /// The row has a local change that blocks the page's row.
        case blocked
        case collided
        case cannotHold(column: String, reason: String)
    }

    init(
        _ transaction: StoreTransaction, table: SyncedTable, isRecorded: Bool,
        unconfirmed: UnconfirmedRows?, now: DeviceTime
    ) throws {
        self.table = table
        statements = transaction.statements
        self.isRecorded = isRecorded
        tracksUnconfirmed = unconfirmed != nil
        listsUnconfirmed = unconfirmed == .list
        self.now = now
        reading = LogReading(table: table, statements: statements)
        referencedColumns = LocalReferences(transaction).columns(
            referencedIn: table.tracked.local.name)
        fills = UndecidedFills(reading: reading)
        hasUndecidedFills = try !fills.isEmpty()
        unreadColumns = transaction.tables.unreadColumns(of: table)
        changedKeys = try ChangedKeys(reading)
    }

    private func localChange(_ localKey: LocalKey) throws -> LocalChange? {
        changedKeys.mayContain(localKey) ? try reading.localChange(localKey: localKey) : nil
    }

    func hasLocalChange(_ key: RowKey) throws -> Bool {
        guard let localKey = table.localKey(key) else { return false }
        return try localChange(localKey) != nil
    }

    // MARK: Removing

    /// Removes a row, unless a local change blocks the removal; `nil` when nothing was removed.
    func remove(_ key: RowKey) throws -> RemovedRow? {
        guard let localKey = table.localKey(key),
            try localChange(localKey) == nil
        else { return nil }
        if listsUnconfirmed, try isUnconfirmed(localKey) { try list(localKey) }
        try sawKey(key)
        return try removeRaw(localKey)
    }

    private func removeRaw(_ localKey: LocalKey) throws -> RemovedRow? {
        let removed = try reading.removedRow(localKey: localKey, columns: referencedColumns)
        try statements("DELETE FROM \(reading.target) WHERE \(reading.isRow)").run(localKey.values)
        if hasUndecidedFills { try fills.remove(localKey: localKey) }
        guard removed != nil else { return nil }
        hasWritten = true
        try recordChange(localKey, isGone: true)
        return removed
    }

    private func recordChange(_ localKey: LocalKey, isGone: Bool) throws {
        if isRecorded { try reading.recordChange(localKey: localKey, isGone: isGone) }
    }

    func sawKey(_ key: RowKey) throws {
        guard tracksUnconfirmed, let localKey = table.localKey(key) else { return }
        try reading.confirm(localKey: localKey)
    }

    private func isUnconfirmed(_ localKey: LocalKey) throws -> Bool {
        let unconfirmed = SQLText.name(table.tracked.unconfirmedTable)
        return try statements("SELECT 1 FROM \(unconfirmed) WHERE \(reading.isKey)").exists(
            localKey.values)
    }

    /// Lists a row that came from the hub once, so that it can be recovered.
    private func list(_ localKey: LocalKey) throws {
        guard let row = try reading.portableRow(localKey: localKey) else { return }
        try RefusedList(statements: statements).addRecovered(
            row, of: table, table.key(localKey), why: .goneAtHub, at: now)
    }

    // MARK: Fills

    private func decideFills(_ row: [Value], _ key: RowKey, _ layout: PageLayout) throws {
        guard let localKey = table.localKey(key),
            try fills.decide(row, localKey, layout, { try localChange(localKey) }, at: now)
        else { return }
        changedKeys.insert(localKey)
        hasFilled = true
    }

    // MARK: Writing

    /// Whether a page leaves the whole row as it is. In a table merged by row, the row stays as its
    /// user saw it during the edit.
    private func blocks(_ localChange: LocalChange) -> Bool {
        table.description.granularity == .row && !localChange.isOnlyFills
    }

    /// Writes one row of a page according to the merge rules.
    func write(_ row: [Value], key: RowKey, layout: PageLayout) throws -> Written {
        try sawKey(key)
        if hasUndecidedFills { try decideFills(row, key, layout) }
        var columns: [Int] = []
        var values: [Value] = []
        columns.reserveCapacity(row.count)
        values.reserveCapacity(row.count)
        for (position, column) in layout.columns.enumerated() {
            guard let column else { continue }
            guard let value = table.form(column).local(row[position]) else {
                return .cannotHold(
                    column: table.description.columns[column].name,
                    reason: WithheldHere.changesValue)
            }
            columns.append(column)
            values.append(value)
        }
        guard let localKey = table.localKey(key) else {
            return .cannotHold(
                column: table.columns.columns[table.description.primaryKey[0]],
                reason: WithheldHere.changesKey)
        }
        guard let localChange = try localChange(localKey) else {
            return try attempt {
                try upsertStatement(columns).run(values)
            } then: {
                try recordChange(localKey, isGone: false)
            }
        }
        guard case .update = localChange.kind, try reading.exists(localKey: localKey) else {
            return .blocked
        }
        // Columns edited here keep their value until the push is answered. Nobody has seen the
        // hub's value of an unread column, so no edit depends on it.
        let free = columns.indices.filter {
            !localChange.edits(columns[$0]) && !table.description.isKey(columns[$0])
                && (!blocks(localChange) || unreadColumns.contains(columns[$0]))
        }
        guard !free.isEmpty else { return .blocked }
        return try attempt {
            try statements.passing(update(free.map { columns[$0] }))
                .run(localKey.values + free.map { values[$0] })
        } then: {
            try recordChange(localKey, isGone: false)
        }
    }

    /// Writes a row straight from the page's columns, if no local state can affect it.
    ///
    /// - Returns: `false` if it was not written: ``write(_:key:layout:)`` finds out why.
    func writePlain(_ rows: RowColumns, at row: Int, layout: PageLayout) throws -> Bool {
        guard case .none = changedKeys, !tracksUnconfirmed, !hasUndecidedFills,
            let columns = layout.plainColumns,
            layout.hasKey(rows, at: row)
        else { return false }
        let statement = try upsertStatement(columns)
        for (index, column) in rows.columns.enumerated() {
            guard !column.isNaN(row) else { return false }
            try statement.bind(column, row: row, at: index + 1)
        }
        do {
            while try statement.step() {}
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        } catch let error as DatabaseError where error.resultCode == .SQLITE_MISMATCH {
            return false
        }
        hasWritten = true
        if isRecorded { try recordChange(layout.localKey(rows, at: row), isGone: false) }
        return true
    }

    /// Writes one column if it still has the pushed value, even if it was edited and reverted
    /// since. A value that collides, or that the local table cannot store, is not written.
    func writeStored(_ stored: OutcomeApplier.StoredColumn) throws {
        let type = table.description.columns[stored.column].type
        guard let localKey = table.localKey(stored.key),
            try localChange(localKey)?.asksFor(stored.column) != true,
            let row = try reading.portableRow(localKey: localKey),
            type.equal(row[stored.column], stored.pushed),
            let value = table.form(stored.column).local(stored.stored)
        else { return }
        _ = try attempt {
            try statements.passing(update([stored.column])).run(localKey.values + [value])
        } then: {
            try recordChange(localKey, isGone: false)
        }
    }

    private func attempt(_ write: () throws -> Void, then record: () throws -> Void) throws
        -> Written
    {
        do {
            try write()
        } catch let error as DatabaseError {
            switch error.extendedResultCode {
            // An INTEGER PRIMARY KEY accepts only integers.
            case .SQLITE_MISMATCH:
                return .cannotHold(
                    column: "", reason: error.message ?? WithheldHere.anotherType)
            case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY,
                .SQLITE_CONSTRAINT_ROWID:
                return .collided
            case .SQLITE_CONSTRAINT_NOTNULL, .SQLITE_CONSTRAINT_CHECK,
                .SQLITE_CONSTRAINT_TRIGGER, .SQLITE_CONSTRAINT_DATATYPE:
                // The message names the constraint, never a value.
                return .cannotHold(
                    column: "", reason: error.message ?? WithheldHere.localConstraint)
            default: throw error
            }
        }
        hasWritten = true
        try record()
        return .written
    }

    private func upsertStatement(_ columns: [Int]) throws -> RawStatement {
        if let lastUpsert, lastUpsert.columns == columns { return lastUpsert.statement }
        let statement = try statements(upsert(columns))
        lastUpsert = (columns, statement)
        return statement
    }

    /// `OR ABORT` overrides an `ON CONFLICT REPLACE` that the table itself declares. The target has
    /// an alias: in a table called `excluded`, the values would otherwise be the present ones.
    private func upsert(_ columns: [Int]) -> String {
        let plain = columns.filter { !table.description.isKey($0) }
        let action =
            plain.isEmpty
            ? "NOTHING"
            : "UPDATE SET "
                + plain.map {
                    let name = SQLText.name(table.localName($0))
                    return "\(name) = excluded.\(name)"
                }.joined(separator: ", ")
        return """
            INSERT OR ABORT INTO \(reading.target) AS written\
            (\(SQLText.names(columns.map(table.localName)))) \
            VALUES(\(SQLText.parameters(columns.count))) \
            ON CONFLICT(\(SQLText.names(table.keyLocalNames))) DO \(action)
            """
    }

    private func update(_ columns: [Int]) -> String {
        let first = table.description.primaryKey.count + 1
        let assignments = columns.enumerated().map {
            "\(SQLText.name(table.localName($1))) = ?\(first + $0)"
        }.joined(separator: ", ")
        return "UPDATE OR ABORT \(reading.target) SET \(assignments) WHERE \(reading.isRow)"
    }

    // MARK: Swapping

    /// A row as the page wants it, with local columns and local edits; `nil` when it must not be
    /// written at all.
    func wholeRow(_ row: [Value], key: RowKey, layout: PageLayout) throws -> WholeRow? {
        guard let localKey = table.localKey(key) else { return nil }
        let localChange = try localChange(localKey)
        let names = table.tracked.local.writableNames
        let sql = "SELECT \(SQLText.names(names)) FROM \(reading.target) WHERE \(reading.isRow)"
        var values: [Identifier: Value] = [:]
        if let current = try statements(sql).first(localKey.values) {
            for (name, form) in zip(names, current) {
                values[Identifier(folding: name)] = form.value
            }
        } else if localChange != nil {
            return nil
        }
        if let localChange, blocks(localChange) { return nil }
        for (position, column) in layout.columns.enumerated() {
            guard let column, let value = table.form(column).local(row[position]) else { continue }
            if let localChange, localChange.edits(column) { continue }
            values[Identifier(folding: table.localName(column))] = value
        }
        let kept = names.filter { values[Identifier(folding: $0)] != nil }
        return WholeRow(
            localKey: localKey, columns: kept,
            values: kept.map { values[Identifier(folding: $0)] ?? .null })
    }

    func delete(_ key: RowKey) throws {
        guard let localKey = table.localKey(key) else { return }
        try statements("DELETE FROM \(reading.target) WHERE \(reading.isRow)").run(localKey.values)
    }

    /// `false` when the row still collides.
    func putIn(_ row: WholeRow) throws -> Bool {
        let sql = """
            INSERT OR ABORT INTO \(reading.target)(\(SQLText.names(row.columns))) \
            VALUES(\(SQLText.parameters(row.columns.count)))
            """
        let written = try attempt {
            try statements.passing(sql).run(row.values)
        } then: {
            try recordChange(row.localKey, isGone: false)
        }
        if case .written = written { return true }
        return false
    }

    // MARK: First copies

    /// Removes the rows that a complete copy did not bring and that have no local change. A row
    /// with an edit stays until the edit is answered, and its values are listed now.
    func dropUnconfirmed() throws -> [RemovedRow] {
        let unconfirmed = SQLText.name(table.tracked.unconfirmedTable)
        let keys = table.logKeyColumns.joined(separator: ", ")
        let next = try RawStatement(
            statements.db, "SELECT \(keys) FROM \(unconfirmed)")
        var removed: [RemovedRow] = []
        while try next.step() {
            let localKey = LocalKey(next)
            try reading.resolveCandidates(localKey: localKey)
            let localChange = try localChange(localKey)
            let isEdited = if case .update? = localChange?.kind { true } else { false }
            if listsUnconfirmed, localChange == nil || isEdited { try list(localKey) }
            guard localChange == nil else { continue }
            if let row = try removeRaw(localKey), !referencedColumns.isEmpty { removed.append(row) }
        }
        try statements("DELETE FROM \(unconfirmed)").run()
        return removed
    }
}

extension LocalChange {
    /// Whether the change asks for the value itself, and not only for a change of the old value.
    fileprivate func asksFor(_ column: Int) -> Bool {
        if case .update = kind { false } else { edits(column) }
    }
}

/// A row with every column that can be written.
struct WholeRow {
    let localKey: LocalKey
    let columns: [String]
    let values: [Value]
}

/// A removed row with the values that local tables may refer to, by the folded column name.
struct RemovedRow {
    let table: String
    let values: [Identifier: Value]
}
