import MoorageCore
import MoorageWire

/// One write of a request: its key, the change that it becomes, and what became of that.
struct PlannedWrite {
    private(set) var write: RowWrite
    private(set) var key: RowKey?
    /// Whether the hub chose the key.
    private(set) var hasChosenKey = false
    var problem: RowProblem?
    /// What to push; `nil` where there is nothing to write.
    private(set) var change: Change?
    /// The columns of the change, by name.
    private(set) var columns: [String] = []
    /// Whether there was no such row before.
    private(set) var isNew = false
    /// Whether the database refused a value that another row has.
    private(set) var isRefusedAsTaken = false
    /// Whether the row is to be deleted.
    private var isGone = false

    init(_ write: RowWrite) { self.write = write }

    var isInsert: Bool {
        if case .insert? = change?.operation { true } else { false }
    }

    private var table: TableDescription { write.table.description }

    // MARK: Planning

    /// Whatever the row is like. A user who may not write learns nothing of rows.
    func checkRights() throws(RowProblem) {
        if let refusal = write.table.refusal(of: write.kind) { throw RowProblem(refusal) }
    }

    mutating func choose(_ key: RowKey) {
        self.key = key
        hasChosenKey = true
    }

    /// Takes the values of columns from another write.
    ///
    /// - Parameter source: Its key is known.
    /// - Throws: ``RowProblem`` where the request names other values for them.
    mutating func take(_ link: RowLink, from source: PlannedWrite) throws(RowProblem) {
        var values: [(column: Int, value: Value)] = []
        for (own, column) in link.columns {
            let type = table.columns[own].type
            // What neither of the two names is left as it is.
            guard let value = source.value(of: column), !value.isNull, type.accepts(value) else {
                continue
            }
            let named = write.values.first { $0.column == own }?.value
            if let named, named.isNull ? !table.isKey(own) : !type.equal(named, value) {
                throw .otherParent(in: table.name, source.table.name)
            }
            values.append((own, type.normalized(value)))
        }
        write = write.adding(values)
    }

    /// The value that the request has for a column; `nil` where it has none.
    private func value(of column: Int) -> Value? {
        if let place = table.primaryKey.firstIndex(of: column), let key { return key.values[place] }
        return write.values.first { $0.column == column }?.value
    }

    /// Reads the key from the request. A new row may name none.
    mutating func readKey() throws(RowProblem) {
        let named = table.primaryKey.map { column in
            write.values.first { $0.column == column && !$0.value.isNull }?.value
        }
        if let key = write.key {
            // A request may leave out of the row what its path says.
            let isOther = zip(zip(table.primaryKey, named), key.values).contains { part, value in
                part.1.map { !table.columns[part.0].type.equal($0, value) } ?? false
            }
            if isOther { throw .otherKey(of: table.name) }
            self.key = key
        } else if named.allSatisfy({ $0 != nil }) {
            key = table.key(named.compactMap { $0 })
        } else if write.kind == .update || write.kind == .delete
            || named.contains(where: { $0 != nil })
        {
            throw .keyMissing(of: table.name, write.table.keyNames)
        }
    }

    /// - Parameters:
    ///   - row: The row as the user sees it; `nil` where there is none.
    ///   - isDeleted: Whether there is no row, or only one with a deletion marker.
    mutating func plan(
        against row: [Value]?, isDeleted: Bool, _ rights: UserRights, _ now: HubTime
    ) throws(RowProblem) {
        if row == nil, write.kind == .delete, write.acceptsAbsence {
            isGone = true
            return
        }
        guard write.precondition.isMet(by: row.map { table.fingerprint(of: $0) }) else {
            throw .rowChanged(in: table.name)
        }
        isNew = row == nil
        let operation: Change.Operation?
        switch write.kind {
        case .insert:
            guard isDeleted else { throw .rowExists(in: table.name) }
            operation = try insert(rights)
        case .update:
            guard let row else { throw .noRow(of: table.name) }
            operation = update(row)
        case .upsert, .replace:
            if write.kind == .replace { try checkWhole() }
            operation = if let row, !isDeleted { update(row) } else { try insert(rights) }
        case .delete:
            guard let row else { throw .noRow(of: table.name) }
            columns = table.columns.map(\.name)
            isGone = true
            operation = .delete(before: row)
        }
        guard let operation, let key else { return }
        change = Change(
            table: table.name, key: key, operation: operation,
            editedAt: DeviceTime(milliseconds: now.milliseconds))
    }

    /// A whole row names every column that the user may write. Nothing is set to NULL because a
    /// program does not know of a column yet.
    private func checkWhole() throws(RowProblem) {
        let written = isNew ? write.table.insertable ?? [] : write.table.updatable
        let named = Set(write.values.map(\.column))
        let missing = written.filter { !named.contains($0) }
        guard missing.isEmpty else {
            throw .columnsMissing(missing.map { table.columns[$0].name }, of: table.name)
        }
    }

    private mutating func insert(_ rights: UserRights) throws(RowProblem) -> Change.Operation {
        // In one order, so that rows of the same columns are written together.
        let values = write.values.filter {
            !table.columns[$0.column].isGenerated && !table.isKey($0.column)
        }.sorted { $0.column < $1.column }
        for (column, _) in values
        where !rights.mayInsert(table.columns[column].name, of: table.name) {
            let name = table.columns[column].name
            throw RowProblem(Refusal.mayNotChange(name, of: table.name))
        }
        let named = table.primaryKey + values.map(\.column)
        columns = named.map { table.columns[$0].name }
        return .insert((key?.values ?? []) + values.map(\.value))
    }

    /// - Returns: `nil` where every column has its value already.
    private mutating func update(_ row: [Value]) -> Change.Operation? {
        let edits = write.values.compactMap { column, value -> ColumnEdit? in
            guard !table.isKey(column), !table.columns[column].isGenerated,
                !table.columns[column].type.equal(row[column], value)
            else { return nil }
            return ColumnEdit(column: column, old: row[column], new: value)
        }
        columns = table.columns.map(\.name)
        return edits.isEmpty ? nil : .update(edits)
    }

    // MARK: Results

    mutating func take(_ outcome: Outcome) {
        switch outcome.kind {
        case .refused(let refusal):
            problem = RowProblem(refusal)
            isRefusedAsTaken = refusal.code == .unique
        case .overruled where isGone: problem = .keptByRules(in: table.name)
        case .overruled: break
        case .applied, .merged: break
        }
    }

    /// - Parameter row: The row of a key as the user sees it now.
    func result(_ row: (RowKey) -> RowContent?) -> RowResult {
        if let problem { return .refused(problem) }
        if isGone { return .deleted }
        let content = key.flatMap(row)
        guard isNew, let content else { return .changed(content) }
        return .created(content)
    }
}
