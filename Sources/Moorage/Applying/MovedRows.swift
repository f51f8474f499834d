import GRDB
import MoorageCore
import MoorageWire

/// Rows that were inserted here and stand otherwise at the hub, above all under another key beside
/// somebody else's row of the same one: what was edited here since goes with them, and so does what
/// refers to them and was not sent yet.
struct MovedRows {
    /// A row of which others name what changed.
    private struct Moved {
        let table: SyncedTable
        /// As it was made here.
        let values: [Int: Value]
        /// What is another now.
        let now: [Int: Value]
    }

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
        func column(_ position: Int) -> Int? {
            columns.columns.indices.contains(position)
                ? table.description.column(named: columns.columns[position]) : nil
        }
        var pushed: [Int: Value] = [:]
        for (position, value) in values.enumerated() {
            if let column = column(position) { pushed[column] = value }
        }
        var now: [Int: Value] = [:]
        let key = table.description.key(change.key.values)
        let reading = LogReading(table: table, statements: statements)
        let local = try table.localKey(key).flatMap { try reading.portableRow(rawKey: $0) }
        for stored in outcome.stored {
            guard let column = column(stored.column), let before = pushed[column] else { continue }
            let type = table.description.columns[column].type
            if type.equal(before, stored.value) { continue }
            // A value that its user gave away since is not meant by who names it.
            if !table.description.isKey(column),
                local.map({ !type.equal($0[column], before) }) ?? true
            {
                continue
            }
            now[column] = stored.value
        }
        guard !now.isEmpty else { return nil }
        let newKey = moved(key, of: table, now)
        if newKey != key, let rawKey = table.localKey(key), let newRawKey = table.localKey(newKey) {
            // Otherwise the page puts the other's row in its place, and brings it under its new key.
            if try !table.description.direction.isReceived
                || !reading.entries(rawKey: rawKey).isEmpty
            {
                _ = try rename(rawKey, newRawKey, reading)
            }
        }
        // Not by recursion: a chain of rows may be as long as the log.
        var open = [Moved(table: table, values: pushed, now: now)]
        while let next = open.popLast() { open += try moveBelow(next) }
        return newKey == key ? nil : newKey
    }

    private func moved(_ key: Key, of table: SyncedTable, _ now: [Int: Value]) -> Key {
        table.description.key(
            zip(table.description.primaryKey, key.values).map { now[$0] ?? $1 })
    }

    // MARK: The row itself

    /// - Returns: Whether it has the new key; else it was given up.
    private func rename(
        _ key: [Value], _ newKey: [Value], _ reading: LogReading
    ) throws -> Bool {
        let table = reading.table
        let count = key.count
        let names = table.keyLocalNames.enumerated().map {
            "\(SQLText.name($1)) = ?\(count + $0 + 1)"
        }
        let sql = """
            UPDATE OR ABORT \(reading.target) SET \(names.joined(separator: ", ")) \
            WHERE \(reading.isRow)
            """
        // Somebody else's row may be there already, brought by a page.
        guard try !reading.exists(rawKey: newKey) && write(sql, key + newKey) else {
            try giveUp(key, reading)
            return false
        }
        let places = table.logKeyColumns.enumerated().map { "\($1) = ?\(count + $0 + 1)" }
        try statements(
            "UPDATE \(reading.log) SET \(places.joined(separator: ", ")) WHERE \(reading.isKey)"
        ).run(key + newKey)
        if try transaction.meta.cursor().mark != nil {
            try reading.touch(rawKey: key, isGone: true)
            try reading.touch(rawKey: newKey, isGone: false)
        }
        try transaction.notify(table.tracked.local.name)
        return true
    }

    /// - Returns: Whether the app's own constraints and triggers let it be.
    private func write(_ sql: String, _ values: [Value]) throws -> Bool {
        do {
            try statements(sql).run(values)
            return true
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
    }

    /// A row that cannot follow: what it holds is listed, and pages take its place.
    private func giveUp(_ rawKey: [Value], _ reading: LogReading) throws {
        let table = reading.table
        if let row = try reading.portableRow(rawKey: rawKey) {
            try RefusedList(statements: statements).add(
                row: RefusedList.Entry(
                    name: RowName(table: table.name, key: table.key(raw: rawKey)),
                    operation: .row, columns: table.columns.columns, before: nil, after: row,
                    refusal: Refusal(
                        code: .recovered,
                        message: """
                            The row, or one that it refers to, has another key at the hub, and cannot be \
                            given that here; what was edited since is kept in this list.
                            """),
                    at: at))
        }
        for entry in try reading.entries(rawKey: rawKey) { try reading.delete(seq: entry.seq) }
    }

    // MARK: What refers to it

    /// What was made to refer to a row and is yet to be sent means that row, whatever its key is.
    private func moveBelow(_ row: Moved) throws -> [Moved] {
        var moved: [Moved] = []
        let table = row.table
        for child in transaction.tables.synced {
            for foreign in child.description.foreignKeys
            where foreign.referencedTable.hasSameBytes(as: table.name) {
                guard let referenced = foreign.positions(in: table.description) else { continue }
                let named = referenced.compactMap { row.values[$0] }
                guard named.count == foreign.columns.count, !named.contains(where: \.isNull),
                    referenced.contains(where: { row.now[$0] != nil })
                else { continue }
                var now: [Int: Value] = [:]
                for (own, theirs) in zip(foreign.columns, referenced) { now[own] = row.now[theirs] }
                let reading = LogReading(table: child, statements: statements)
                for rawKey in try unsent(reading, foreign.columns, holding: named) {
                    if let below = try move(rawKey, reading, to: now) { moved.append(below) }
                }
            }
        }
        try LocalReferences(transaction).follow(
            table.tracked.local.name, from: local(row.values, of: table),
            to: local(row.now, of: table))
        return moved
    }

    private func local(_ values: [Int: Value], of table: SyncedTable) -> ByBytes<Value> {
        var result = ByBytes<Value>()
        for (column, value) in values {
            result[SQLText.folded(table.localName(column))] = table.form(column).local(value)
        }
        return result
    }

    /// Rows with a note that says what they refer to.
    private func unsent(
        _ reading: LogReading, _ columns: [Int], holding values: [Value]
    ) throws -> [[Value]] {
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
        var found: [[Value]] = []
        while try statement.step() {
            found.append((0..<statement.columnCount).map { statement.column($0).value })
        }
        return try found.filter { rawKey in
            switch try reading.note(rawKey: rawKey)?.kind {
            case .insert: true
            case .update(let old): old.contains { columns.contains($0.column) }
            case .delete, .touch, nil: false
            }
        }
    }

    private func move(
        _ rawKey: [Value], _ reading: LogReading, to now: [Int: Value]
    ) throws -> Moved? {
        let table = reading.table
        guard let row = try reading.portableRow(rawKey: rawKey) else { return nil }
        for (column, value) in now where !table.description.isKey(column) {
            guard let value = table.form(column).local(value) else { continue }
            let name = SQLText.name(table.localName(column))
            let sql = """
                UPDATE OR ABORT \(reading.target) SET \(name) = ?\(rawKey.count + 1) \
                WHERE \(reading.isRow)
                """
            guard try write(sql, rawKey + [value]) else {
                try giveUp(rawKey, reading)
                try ask(rawKey, reading)
                return nil
            }
            try transaction.notify(table.tracked.local.name)
        }
        let key = table.key(raw: rawKey)
        let newKey = moved(key, of: table, now)
        if newKey != key, let newRawKey = table.localKey(newKey) {
            let hasMoved = try rename(rawKey, newRawKey, reading)
            // A page may have brought somebody else's row under the old key, which was held back for this
            // one.
            try ask(rawKey, reading)
            guard hasMoved else { return nil }
        }
        let values = Dictionary(uniqueKeysWithValues: row.enumerated().map { ($0, $1) })
        return Moved(table: table, values: values, now: now)
    }

    /// Has the hub say what the row is.
    private func ask(_ rawKey: [Value], _ reading: LogReading) throws {
        for kind in try reading.question(rawKey: rawKey) {
            try reading.append(LogEntry(kind: kind, at: at), rawKey: rawKey)
        }
    }
}
