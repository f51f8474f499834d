import GRDB
import MoorageCore
import MoorageWire
import SQLiteSupport

/// Follows rows that were inserted here and that the hub stored with other values. Most often the
/// hub gave a row another key, because somebody else's row has the same one. Later edits here go
/// with the row, and so do unsent rows that refer to it.
struct RekeyedRows {
    /// A row with changed values that other rows refer to.
    private struct Rekeyed {
        let table: SyncedTable
        /// The values that were inserted here.
        let values: [Int: Value]
        /// The values that are different now.
        let now: [Int: Value]
    }

    private let transaction: StoreTransaction
    private let at: DeviceTime

    /// - Parameter at: Now, by the device's clock.
    init(_ transaction: StoreTransaction, at: DeviceTime) {
        self.transaction = transaction
        self.at = at
    }

    private var statements: RawStatements { transaction.statements }

    /// - Returns: The key that the row has now; `nil` when it is the one that was pushed.
    func follow(_ change: Change, _ outcome: Outcome, _ columns: TableColumns) throws -> RowKey? {
        guard case .insert(let values) = change.operation, !outcome.stored.isEmpty,
            let table = transaction.tables.table(named: change.table)
        else { return nil }
        func column(_ position: Int) -> Int? { table.column(position, of: columns) }
        var pushed: [Int: Value] = [:]
        for (position, value) in values.enumerated() {
            if let column = column(position) { pushed[column] = value }
        }
        var now: [Int: Value] = [:]
        let key = table.description.key(change.key.values)
        let reading = LogReading(table: table, statements: statements)
        let local = try table.localKey(key).flatMap { try reading.portableRow(localKey: $0) }
        for stored in outcome.stored {
            guard let column = column(stored.column), let before = pushed[column] else { continue }
            let type = table.description.columns[column].type
            if type.equal(before, stored.value) { continue }
            // If the app has changed the column since, rows with the old value do not mean this
            // row.
            if !table.description.isKey(column),
                local.map({ !type.equal($0[column], before) }) ?? true
            {
                continue
            }
            now[column] = stored.value
        }
        guard !now.isEmpty else { return nil }
        let newKey = rekeyed(key, of: table, now)
        if newKey != key, let localKey = table.localKey(key),
            let newLocalKey = table.localKey(newKey)
        {
            if try !table.description.direction.isReceived
                || !reading.entries(localKey: localKey).isEmpty
            {
                _ = try rename(localKey, newLocalKey, reading)
            } else {
                // The page brings somebody else's row under this key, and this row under its new
                // key.
                try forgetDelete(newLocalKey, reading)
                try UndecidedFills(reading: reading).remove(localKey: localKey)
            }
        }
        // Without recursion: a chain of rows may be as long as the log.
        var open = [Rekeyed(table: table, values: pushed, now: now)]
        while let next = open.popLast() { open += try rekeyBelow(next) }
        return newKey == key ? nil : newKey
    }

    /// Forgets an unsent delete under the row's new key. It is of a row that the hub no longer has:
    /// a restored hub gives its key to another row.
    private func forgetDelete(_ localKey: LocalKey, _ reading: LogReading) throws {
        guard case .delete? = try reading.localChange(localKey: localKey)?.kind else { return }
        for entry in try reading.entries(localKey: localKey) { try reading.delete(seq: entry.seq) }
        // The next page of this key brings another row.
        try UndecidedFills(reading: reading).remove(localKey: localKey)
    }

    private func rekeyed(_ key: RowKey, of table: SyncedTable, _ now: [Int: Value]) -> RowKey {
        table.description.key(
            zip(table.description.primaryKey, key.values).map { now[$0] ?? $1 })
    }

    // MARK: The row itself

    /// - Returns: Whether it has the new key. If not, it was given up.
    private func rename(
        _ key: LocalKey, _ newKey: LocalKey, _ reading: LogReading
    ) throws -> Bool {
        try forgetDelete(newKey, reading)
        let table = reading.table
        let count = key.values.count
        let names = table.keyLocalNames.enumerated().map {
            "\(SQLText.name($1)) = ?\(count + $0 + 1)"
        }
        let sql = """
            UPDATE OR ABORT \(reading.target) SET \(names.joined(separator: ", ")) \
            WHERE \(reading.isRow)
            """
        // A page may have brought somebody else's row under this key already.
        guard try !reading.exists(localKey: newKey) && write(sql, key.values + newKey.values) else {
            try giveUp(key, reading)
            return false
        }
        let places = table.logKeyColumns.enumerated().map { "\($1) = ?\(count + $0 + 1)" }
        try statements(
            "UPDATE \(reading.log) SET \(places.joined(separator: ", ")) WHERE \(reading.isKey)"
        ).run(key.values + newKey.values)
        try UndecidedFills(reading: reading).rename(key, to: newKey)
        if try transaction.meta.cursor().checkpoint != nil {
            try reading.recordChange(localKey: key, isGone: true)
            try reading.recordChange(localKey: newKey, isGone: false)
        }
        try transaction.notify(table.tracked.local.name)
        return true
    }

    /// - Returns: Whether the app's own constraints and triggers permit it.
    private func write(_ sql: String, _ values: [Value]) throws -> Bool {
        do {
            try statements(sql).run(values)
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
    }

    /// Gives up a row that cannot follow: lists its values, and lets pages replace it.
    private func giveUp(_ localKey: LocalKey, _ reading: LogReading) throws {
        let table = reading.table
        if let row = try reading.portableRow(localKey: localKey) {
            try RefusedList(statements: statements).addRecovered(
                row, of: table, table.key(localKey), why: .notRekeyed, at: at)
        }
        for entry in try reading.entries(localKey: localKey) { try reading.delete(seq: entry.seq) }
    }

    // MARK: What refers to it

    /// An unsent row that was made to refer to a row means that row, whatever its key is.
    private func rekeyBelow(_ row: Rekeyed) throws -> [Rekeyed] {
        var rekeyed: [Rekeyed] = []
        let table = row.table
        for child in transaction.tables.synced {
            for foreign in child.description.foreignKeys
            where table.name == foreign.referencedTable {
                guard let referenced = foreign.positions(in: table.description) else { continue }
                let named = referenced.compactMap { row.values[$0] }
                guard named.count == foreign.columns.count, !named.contains(where: \.isNull),
                    referenced.contains(where: { row.now[$0] != nil })
                else { continue }
                var now: [Int: Value] = [:]
                for (own, theirs) in zip(foreign.columns, referenced) { now[own] = row.now[theirs] }
                let reading = LogReading(table: child, statements: statements)
                for localKey in try unsent(reading, foreign.columns, holding: named) {
                    if let below = try rekey(localKey, reading, to: now) { rekeyed.append(below) }
                }
            }
        }
        try LocalReferences(transaction).follow(
            table.tracked.local.name, from: local(row.values, of: table),
            to: local(row.now, of: table))
        return rekeyed
    }

    private func local(_ values: [Int: Value], of table: SyncedTable) -> [Identifier: Value] {
        var result: [Identifier: Value] = [:]
        for (column, value) in values {
            result[Identifier(folding: table.localName(column))] = table.form(column).local(value)
        }
        return result
    }

    /// Rows with these values whose local change says what they refer to.
    private func unsent(
        _ reading: LogReading, _ columns: [Int], holding values: [Value]
    ) throws -> [LocalKey] {
        let table = reading.table
        let locals = zip(columns, values).compactMap { table.form($0).local($1) }
        guard locals.count == columns.count else { return [] }
        let isRow = zip(table.keyLocalNames, table.logKeyColumns).map {
            "t.\(SQLText.name($0)) = l.\($1) AND t.\(SQLText.name($0)) COLLATE BINARY = l.\($1)"
        }
        let holds = columns.enumerated().map {
            let name = "t.\(SQLText.name(table.localName($1)))"
            return "\(name) = ?\($0 + 1) AND \(name) COLLATE BINARY = ?\($0 + 1)"
        }
        let statement = try statements.own(
            """
            SELECT DISTINCT \(table.logKeyColumns.map { "l.\($0)" }.joined(separator: ", "))
            FROM \(reading.log) AS l
            JOIN \(reading.target) AS t ON \(isRow.joined(separator: " AND "))
            WHERE \(holds.joined(separator: " AND "))
            """)
        try statement.bind(locals)
        var found: [LocalKey] = []
        while try statement.step() {
            found.append(LocalKey(statement))
        }
        return try found.filter { localKey in
            switch try reading.localChange(localKey: localKey)?.kind {
            case .insert: true
            case .update(let old): old.contains { columns.contains($0.column) }
            case .delete, .refetch, nil: false
            }
        }
    }

    private func rekey(
        _ localKey: LocalKey, _ reading: LogReading, to now: [Int: Value]
    ) throws -> Rekeyed? {
        let table = reading.table
        guard let row = try reading.portableRow(localKey: localKey) else { return nil }
        for (column, value) in now where !table.description.isKey(column) {
            guard let value = table.form(column).local(value) else { continue }
            let name = SQLText.name(table.localName(column))
            let sql = """
                UPDATE OR ABORT \(reading.target) SET \(name) = ?\(localKey.values.count + 1) \
                WHERE \(reading.isRow)
                """
            guard try write(sql, localKey.values + [value]) else {
                try giveUp(localKey, reading)
                try reading.ask(localKey: localKey, at: at)
                return nil
            }
            try transaction.notify(table.tracked.local.name)
        }
        let key = table.key(localKey)
        let newKey = rekeyed(key, of: table, now)
        if newKey != key, let newLocalKey = table.localKey(newKey) {
            let isRenamed = try rename(localKey, newLocalKey, reading)
            // A page may have brought somebody else's row under the old key, and this row's local
            // change blocked it. So ask for that row.
            try reading.ask(localKey: localKey, at: at)
            guard isRenamed else { return nil }
        }
        let values = Dictionary(uniqueKeysWithValues: row.enumerated().map { ($0, $1) })
        return Rekeyed(table: table, values: values, now: now)
    }
}
