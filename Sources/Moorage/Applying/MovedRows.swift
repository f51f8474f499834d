import MoorageCore
import MoorageWire

/// Rows that were inserted here and have another key at the hub, beside somebody else's row of the same
/// key: what was edited here since goes with them, and so does what refers to them and was not sent yet.
struct MovedRows {
    private let transaction: StoreTransaction
    private let at: Int64

    /// - Parameter at: Now, by the device's clock.
    init(_ transaction: StoreTransaction, at: Int64) {
        self.transaction = transaction
        self.at = at
    }

    private var statements: RawStatements { transaction.statements }

    /// - Returns: The key that the row has now; `nil` when it is the one that was pushed.
    func follow(_ change: Change, _ outcome: Outcome, _ columns: TableColumns) throws -> Key? {
        guard case .insert(let values) = change.operation, !outcome.stored.isEmpty,
            let table = transaction.tables.table(named: change.table)
        else { return nil }
        if case .refused = outcome.kind { return nil }
        func column(_ position: Int) -> Int? {
            columns.columns.indices.contains(position)
                ? table.description.column(named: columns.columns[position]) : nil
        }
        var pushed: [Int: Value] = [:]
        for (position, value) in values.enumerated() {
            if let column = column(position) { pushed[column] = value }
        }
        var now: [Int: Value] = [:]
        for stored in outcome.stored {
            guard let column = column(stored.column), table.description.isKey(column),
                let before = pushed[column],
                !table.description.columns[column].type.equal(before, stored.value)
            else { continue }
            now[column] = stored.value
        }
        guard !now.isEmpty else { return nil }
        let key = table.description.key(change.key.values)
        if let rawKey = table.localKey(key), let newKey = table.localKey(moved(key, of: table, now))
        {
            let reading = LogReading(table: table, statements: statements)
            // Otherwise the page puts the other's row in its place, and brings it under its new key.
            if try !reading.entries(rawKey: rawKey).isEmpty { try rename(rawKey, newKey, reading) }
        }
        try moveBelow(table, from: pushed, to: now)
        return moved(key, of: table, now)
    }

    private func moved(_ key: Key, of table: SyncedTable, _ now: [Int: Value]) -> Key {
        table.description.key(
            zip(table.description.primaryKey, key.values).map { now[$0] ?? $1 })
    }

    private func rename(_ key: [Value], _ newKey: [Value], _ reading: LogReading) throws {
        guard try !reading.exists(rawKey: newKey) else { return }
        let table = reading.table
        let count = key.count
        let names = table.keyLocalNames.enumerated().map {
            "\(SQLText.name($1)) = ?\(count + $0 + 1)"
        }
        try statements(
            "UPDATE \(reading.target) SET \(names.joined(separator: ", ")) WHERE \(reading.isRow)"
        ).run(key + newKey)
        let places = table.logKeyColumns.enumerated().map { "\($1) = ?\(count + $0 + 1)" }
        try statements(
            "UPDATE \(reading.log) SET \(places.joined(separator: ", ")) WHERE \(reading.isKey)"
        ).run(key + newKey)
        if try transaction.meta.cursor().mark != nil {
            try reading.touch(rawKey: key, isGone: true)
            try reading.touch(rawKey: newKey, isGone: false)
        }
        try transaction.notify(table.tracked.local.name)
    }

    /// What was made to refer to a row and is yet to be sent means that row, whatever its key is.
    private func moveBelow(
        _ table: SyncedTable, from values: [Int: Value], to now: [Int: Value]
    ) throws {
        for child in transaction.tables.synced {
            for foreign in child.description.foreignKeys
            where foreign.referencedTable.hasSameBytes(as: table.name) {
                let referenced = foreign.referencedColumns.compactMap {
                    table.description.column(named: $0)
                }
                let named = referenced.compactMap { values[$0] }
                guard named.count == foreign.columns.count, !named.contains(where: \.isNull),
                    referenced.contains(where: { now[$0] != nil })
                else { continue }
                var after: [Int: Value] = [:]
                for (own, theirs) in zip(foreign.columns, referenced) { after[own] = now[theirs] }
                try move(child, foreign.columns, holding: named, to: after)
            }
        }
        try LocalReferences(transaction).follow(
            table.tracked.local.name, from: local(values, of: table), to: local(now, of: table))
    }

    private func local(_ values: [Int: Value], of table: SyncedTable) -> ByBytes<Value> {
        var result = ByBytes<Value>()
        for (column, value) in values {
            result[SQLText.folded(table.localName(column))] = table.form(column).local(value)
        }
        return result
    }

    /// Rows with a note that says what they refer to.
    private func move(
        _ table: SyncedTable, _ columns: [Int], holding values: [Value], to now: [Int: Value]
    ) throws {
        let reading = LogReading(table: table, statements: statements)
        let locals = zip(columns, values).compactMap { table.form($0).local($1) }
        guard locals.count == columns.count else { return }
        let isRow = zip(table.keyLocalNames, table.logKeyColumns).map {
            "t.\(SQLText.name($0)) = l.\($1)"
        }
        let holds = columns.enumerated().map {
            "t.\(SQLText.name(table.localName($1))) = ?\($0 + 1)"
        }
        var found: [[Value]] = []
        let statement = try statements.own(
            """
            SELECT DISTINCT \(table.logKeyColumns.map { "l.\($0)" }.joined(separator: ", "))
            FROM \(reading.log) AS l JOIN \(reading.target) AS t ON \(isRow.joined(separator: " AND "))
            WHERE \(holds.joined(separator: " AND "))
            """)
        try statement.bind(locals)
        while try statement.step() {
            found.append((0..<statement.columnCount).map { statement.column($0).value })
        }
        for rawKey in found {
            switch try reading.note(rawKey: rawKey)?.kind {
            case .insert: break
            case .update(let old) where old.contains(where: { columns.contains($0.column) }): break
            case .update, .delete, .touch, nil: continue
            }
            try move(rawKey, reading, to: now)
        }
    }

    private func move(_ rawKey: [Value], _ reading: LogReading, to now: [Int: Value]) throws {
        let table = reading.table
        guard let row = try reading.portableRow(rawKey: rawKey) else { return }
        for (column, value) in now where !table.description.isKey(column) {
            guard let value = table.form(column).local(value) else { continue }
            let name = SQLText.name(table.localName(column))
            try statements(
                "UPDATE \(reading.target) SET \(name) = ?\(rawKey.count + 1) WHERE \(reading.isRow)"
            ).run(rawKey + [value])
            try transaction.notify(table.tracked.local.name)
        }
        let key = now.filter { table.description.isKey($0.key) }
        guard !key.isEmpty,
            let newKey = table.localKey(moved(table.key(raw: rawKey), of: table, key))
        else { return }
        try rename(rawKey, newKey, reading)
        // A page may have brought somebody else's row under the old key, which was held back for this one.
        for kind in try reading.question(rawKey: rawKey) {
            try reading.append(LogEntry(kind: kind, at: at), rawKey: rawKey)
        }
        let values = Dictionary(uniqueKeysWithValues: row.enumerated().map { ($0, $1) })
        try moveBelow(table, from: values, to: key)
    }
}
