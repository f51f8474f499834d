import GRDB
import MoorageCore
import MoorageWire

/// Writes the hub's rows into one table, and spares what was edited here.
final class TableWriter {
    let table: SyncedTable
    private let statements: RawStatements
    private let reading: LogReading
    private let isRecorded: Bool
    private let tracksUnseen: Bool
    /// Rows that the hub does not bring again are listed: they were its own once.
    private let listsUnseen: Bool
    private let now: Int64
    private let referencedColumns: [String]
    private(set) var hasWritten = false
    private let noted: Noted
    /// The rows of a page have the same columns: their statement is not looked up for each.
    private var lastUpsert: (columns: [Int], statement: RawStatement)?

    /// Which keys have a note: asked for each row of a page.
    private enum Noted {
        case none
        case keys(Set<[Value]>)
        /// Too many to remember: the log has an index and is asked.
        case many
    }

    enum Written {
        case written
        /// The row has a note that holds the page back.
        case held
        case collided
        case cannotHold(column: String, reason: String)
    }

    private static let rememberedKeys = 20_000

    init(
        _ transaction: StoreTransaction, table: SyncedTable, isRecorded: Bool, unseen: String?,
        now: Int64
    ) throws {
        self.table = table
        statements = transaction.statements
        self.isRecorded = isRecorded
        tracksUnseen = unseen != nil
        listsUnseen = unseen == "recover"
        self.now = now
        reading = LogReading(table: table, statements: statements)
        referencedColumns = LocalReferences(transaction).columns(
            referencedIn: table.tracked.local.name)
        switch try reading.count(upTo: Self.rememberedKeys + 1) {
        case 0: noted = .none
        case ...Self.rememberedKeys:
            let keys = table.logKeyColumns.joined(separator: ", ")
            let statement = try statements("SELECT \(keys) FROM \(reading.log)")
            var found: Set<[Value]> = []
            while try statement.step() {
                found.insert((0..<statement.columnCount).map { statement.column($0).value })
            }
            noted = .keys(found)
        default:
            try reading.makeIndexes()
            noted = .many
        }
    }

    private func note(_ rawKey: [Value]) throws -> Note? {
        switch noted {
        case .none: nil
        case .keys(let keys): keys.contains(rawKey) ? try reading.note(rawKey: rawKey) : nil
        case .many: try reading.note(rawKey: rawKey)
        }
    }

    func hasNote(_ key: Key) throws -> Bool {
        guard let rawKey = table.localKey(key) else { return false }
        return try note(rawKey) != nil
    }

    // MARK: Removing

    /// Removes a row, unless a note holds the removal back; `nil` when nothing was removed.
    func remove(_ key: Key) throws -> RemovedRow? {
        guard let rawKey = table.localKey(key),
            try note(rawKey) == nil || planted(.removalOverEdit)
        else { return nil }
        if listsUnseen, try isUnseen(rawKey) { try list(rawKey) }
        try sawKey(key)
        return try removeRaw(rawKey)
    }

    private func removeRaw(_ rawKey: [Value]) throws -> RemovedRow? {
        let removed = try reading.removedRow(rawKey: rawKey, columns: referencedColumns)
        try statements("DELETE FROM \(reading.target) WHERE \(reading.isRow)").run(rawKey)
        guard removed != nil else { return nil }
        hasWritten = true
        try touched(rawKey, isGone: true)
        return removed
    }

    private func touched(_ rawKey: [Value], isGone: Bool) throws {
        if isRecorded { try reading.touch(rawKey: rawKey, isGone: isGone) }
    }

    func sawKey(_ key: Key) throws {
        guard tracksUnseen, let rawKey = table.localKey(key) else { return }
        try statements(
            "DELETE FROM \(SQLText.name(table.tracked.unseenTable)) WHERE \(reading.isKey)"
        ).run(rawKey)
    }

    private func isUnseen(_ rawKey: [Value]) throws -> Bool {
        let unseen = SQLText.name(table.tracked.unseenTable)
        return try statements("SELECT 1 FROM \(unseen) WHERE \(reading.isKey)").exists(rawKey)
    }

    /// Keeps a row of the hub's own among what can be recovered.
    private func list(_ rawKey: [Value]) throws {
        guard let row = try reading.portableRow(rawKey: rawKey) else { return }
        try RefusedList(statements: statements).add(
            row: RefusedList.Entry(
                name: RowName(table: table.name, key: table.key(raw: rawKey)),
                operation: .row, columns: table.columns.columns, before: nil, after: row,
                refusal: Refusal(
                    code: .recovered,
                    message: "The hub does not have this row any more; the device still did."),
                at: now))
    }

    // MARK: Writing

    /// Writes one row of a page as the merge rules have it.
    func write(_ row: [Value], key: Key, layout: PageLayout) throws -> Written {
        try sawKey(key)
        var columns: [Int] = []
        var values: [Value] = []
        columns.reserveCapacity(row.count)
        values.reserveCapacity(row.count)
        for (position, column) in layout.columns.enumerated() {
            guard let column else { continue }
            guard let value = table.form(column).local(row[position]) else {
                return .cannotHold(
                    column: table.description.columns[column].name,
                    reason: "the local column would change its value")
            }
            columns.append(column)
            values.append(value)
        }
        guard let rawKey = table.localKey(key) else {
            return .cannotHold(
                column: table.columns.columns[table.description.primaryKey[0]],
                reason: "the local key column would change its value")
        }
        guard let note = try note(rawKey), !planted(.pageOverEdit) else {
            return try attempt {
                try upsertStatement(columns).run(values)
            } then: {
                try touched(rawKey, isGone: false)
            }
        }
        // Settled by row, the row stays what its user saw when it was edited.
        guard case .update = note.kind, table.description.granularity == .column,
            try reading.exists(rawKey: rawKey)
        else { return .held }
        // Columns edited here keep their value until the push is answered.
        let free = columns.indices.filter {
            !note.edits(columns[$0]) && !table.description.isKey(columns[$0])
        }
        guard !free.isEmpty else { return .held }
        return try attempt {
            try statements.passing(update(free.map { columns[$0] }))
                .run(rawKey + free.map { values[$0] })
        } then: {
            try touched(rawKey, isGone: false)
        }
    }

    /// Writes a row straight from the page's columns, where nothing here has a say in it.
    ///
    /// - Returns: `false` where it was not written: ``write(_:key:layout:)`` finds out why.
    func writePlain(_ rows: RowColumns, at row: Int, layout: PageLayout) throws -> Bool {
        guard case .none = noted, !tracksUnseen, let columns = layout.plainColumns,
            layout.hasKey(rows, at: row)
        else { return false }
        let statement = try upsertStatement(columns)
        for (index, column) in rows.columns.enumerated() {
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
        if isRecorded { try touched(layout.rawKey(rows, at: row), isGone: false) }
        return true
    }

    /// Writes one column where it still holds what was pushed, be it that it was edited since and
    /// taken back; a value that finds no place stays out.
    func writeStored(_ stored: BatchSettling.StoredColumn) throws {
        let type = table.description.columns[stored.column].type
        guard let rawKey = table.localKey(stored.key),
            try note(rawKey)?.asksFor(stored.column) != true,
            let row = try reading.portableRow(rawKey: rawKey),
            type.equal(row[stored.column], stored.pushed),
            let value = table.form(stored.column).local(stored.stored)
        else { return }
        _ = try attempt {
            try statements.passing(update([stored.column])).run(rawKey + [value])
        } then: {
            try touched(rawKey, isGone: false)
        }
    }

    private func attempt(_ write: () throws -> Void, then record: () throws -> Void) throws
        -> Written
    {
        do {
            try write()
        } catch let error as DatabaseError {
            switch error.extendedResultCode {
            // An INTEGER PRIMARY KEY takes integers alone.
            case .SQLITE_MISMATCH:
                return .cannotHold(column: "", reason: error.message ?? "a value of another type")
            case .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY,
                .SQLITE_CONSTRAINT_ROWID:
                return .collided
            case .SQLITE_CONSTRAINT_NOTNULL, .SQLITE_CONSTRAINT_CHECK,
                .SQLITE_CONSTRAINT_TRIGGER, .SQLITE_CONSTRAINT_DATATYPE:
                // The message names the constraint, never a value.
                return .cannotHold(column: "", reason: error.message ?? "a local constraint")
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

    /// `OR ABORT` stands against a `ON CONFLICT REPLACE` that the table itself declares. The target has a
    /// name of its own there: of a table called `excluded`, the values would be those that stand.
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

    /// A row as it shall be, local columns and local edits included; `nil` when it may not be
    /// written at all.
    func wholeRow(_ row: [Value], key: Key, layout: PageLayout) throws -> WholeRow? {
        guard let rawKey = table.localKey(key) else { return nil }
        let note = try note(rawKey)
        let names = table.tracked.local.writableNames
        let sql = "SELECT \(SQLText.names(names)) FROM \(reading.target) WHERE \(reading.isRow)"
        var values = ByBytes<Value>()
        if let current = try statements(sql).first(rawKey) {
            for (name, form) in zip(names, current) { values[SQLText.folded(name)] = form.value }
        } else if note != nil {
            return nil
        }
        if note != nil, table.description.granularity == .row { return nil }
        for (position, column) in layout.columns.enumerated() {
            guard let column, let value = table.form(column).local(row[position]) else { continue }
            if let note, note.edits(column) { continue }
            values[SQLText.folded(table.localName(column))] = value
        }
        let kept = names.filter { values[SQLText.folded($0)] != nil }
        return WholeRow(
            rawKey: rawKey, columns: kept,
            values: kept.map { values[SQLText.folded($0)] ?? .null })
    }

    func takeOut(_ key: Key) throws {
        guard let rawKey = table.localKey(key) else { return }
        try statements("DELETE FROM \(reading.target) WHERE \(reading.isRow)").run(rawKey)
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
            try touched(row.rawKey, isGone: false)
        }
        if case .written = written { return true }
        return false
    }

    // MARK: First copies

    /// Removes the rows that a complete copy did not bring and that have no note. One with an edit
    /// stays until the edit is answered; what else it holds is listed now.
    func dropUnseen() throws -> [RemovedRow] {
        let unseen = SQLText.name(table.tracked.unseenTable)
        let keys = table.logKeyColumns.joined(separator: ", ")
        let next = try RawStatement(
            statements.db, "SELECT \(keys) FROM \(unseen)")
        var removed: [RemovedRow] = []
        while try next.step() {
            let rawKey = (0..<next.columnCount).map { next.column($0).value }
            try reading.resolveCandidates(rawKey: rawKey)
            let note = planted(.unseenEditsDropped) ? nil : try note(rawKey)
            let isEdited = if case .update? = note?.kind { true } else { false }
            if listsUnseen, note == nil || isEdited { try list(rawKey) }
            guard note == nil else { continue }
            if let row = try removeRaw(rawKey), !referencedColumns.isEmpty { removed.append(row) }
        }
        try statements("DELETE FROM \(unseen)").run()
        return removed
    }
}

extension Note {
    /// Whether the value is wanted by name, and not only against what was there before.
    fileprivate func asksFor(_ column: Int) -> Bool {
        if case .update = kind { false } else { edits(column) }
    }
}

/// A row with every column that can be written.
struct WholeRow {
    let rawKey: [Value]
    let columns: [String]
    let values: [Value]
}

/// A removed row with the values that local tables may refer to, by the folded column name.
struct RemovedRow {
    let table: String
    let values: ByBytes<Value>
}
