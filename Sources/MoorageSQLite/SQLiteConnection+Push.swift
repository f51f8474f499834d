import GRDBSQLite
import MoorageCore
import MoorageHub

extension SQLiteConnection {
    /// The write transaction locks the whole file, so reading needs no further lock.
    func lockRows(_ table: AttachedTable, keys: [RowKey]) throws -> [RowKey: CentralRow] {
        let shape = try shape(of: table)
        let rowSQL = "SELECT \(shape.columnList) FROM \(shape.name) WHERE \(shape.keyPredicate)"
        let trackSQL = "SELECT max(changed_at) FROM \(shape.track) WHERE \(shape.trackPredicate)"
        var result: [RowKey: CentralRow] = [:]
        for key in keys {
            guard let stored = try shape.storable(key) else {
                result[key] = .absent
                continue
            }
            var values: [Value]?
            try statement(rowSQL).run(stored) { values = shape.row($0.values(0..<$0.columnCount)) }
            // A collation may call another key equal. By bytes that is another row.
            if let found = values, table.description.key(of: found) != key { values = nil }
            var changedAt: HubTime?
            try statement(trackSQL).run(stored) {
                if case .integer(let time) = $0.value(at: 0) {
                    changedAt = HubTime(milliseconds: time)
                }
            }
            result[key] = CentralRow(
                values: values, changedAt: changedAt, isTombstone: values == nil && changedAt != nil
            )
        }
        return result
    }

    func referringRows(
        _ table: AttachedTable, through foreignKey: ForeignKey, to parents: [[Value]]
    ) throws -> [[Value]] {
        let shape = try shape(of: table)
        let predicate = foreignKey.columns.map { "\(shape.column($0)) = ?" }.joined(
            separator: " AND ")
        let sql = "SELECT \(shape.columnList) FROM \(shape.name) WHERE \(predicate)"
        var rows: [[Value]] = []
        for parent in parents {
            let values = try zip(foreignKey.columns, parent).map { try shape.stored($1, in: $0) }
            try statement(sql).run(values) { rows.append(shape.row($0.values(0..<$0.columnCount))) }
        }
        return rows
    }

    func insert(_ table: AttachedTable, columns: [Int], rows: [[Value]]) throws {
        let shape = try shape(of: table)
        let names = columns.map(shape.column).joined(separator: ", ")
        let placeholders = columns.map { _ in "?" }.joined(separator: ", ")
        let insert = try statement(
            writing("INSERT INTO \(shape.name) (\(names)) VALUES (\(placeholders))"))
        for row in rows {
            try insert.run(try zip(columns, row).map { try shape.stored($1, in: $0) })
            // A trigger may use RAISE(IGNORE).
            if sqlite3_changes(handle) == 0, table.description.direction.isReceived {
                throw CentralError.leftOut(of: table.name)
            }
        }
    }

    func update(_ table: AttachedTable, columns: [Int], rows: [KeyedValues]) throws {
        let shape = try shape(of: table)
        let sets = columns.map { "\(shape.column($0)) = ?" }.joined(separator: ", ")
        let update = try passingStatement(
            writing("UPDATE \(shape.name) SET \(sets) WHERE \(shape.keyPredicate)"))
        for row in rows {
            let values = try zip(columns, row.values).map { try shape.stored($1, in: $0) }
            guard let key = try shape.storable(row.key) else { continue }
            try update.run(values + key)
            if sqlite3_changes(handle) == 0 { try checkGone(key, table, shape) }
        }
    }

    func delete(_ table: AttachedTable, keys: [RowKey]) throws {
        let shape = try shape(of: table)
        let delete = try statement(
            writing("DELETE FROM \(shape.name) WHERE \(shape.keyPredicate)"))
        for key in keys {
            guard let stored = try shape.storable(key) else { continue }
            try delete.run(stored)
            if sqlite3_changes(handle) == 0 { try checkGone(stored, table, shape) }
        }
    }

    /// Checks why nothing was written to a row: it is gone, or a trigger used RAISE(IGNORE).
    private func checkGone(_ key: [Value], _ table: AttachedTable, _ shape: TableShape) throws {
        guard table.description.direction.isReceived else { return }
        var isThere = false
        try statement("SELECT 1 FROM \(shape.name) WHERE \(shape.keyPredicate)").run(key) { _ in
            isThere = true
        }
        if isThere { throw CentralError.leftOut(of: table.name) }
    }

    /// The setting lasts until the transaction ends. SQLite counts the broken references meanwhile.
    ///
    /// SQLite sets the flag when it compiles the PRAGMA. When it runs the PRAGMA, every statement
    /// of the connection must be prepared again. So this compiles it, and runs it only where that
    /// was not enough.
    func deferConstraints() throws {
        let sql = "PRAGMA defer_foreign_keys"
        _ = try ownStatement("\(sql) = ON")
        var isOn = false
        // Never cached, because the answer is also part of the compiled statement.
        try ownStatement(sql).run([]) { isOn = $0.value(at: 0) == .integer(1) }
        if !isOn { try execute("\(sql) = ON") }
        isDeferring = true
    }

    /// The text of a statement that writes the owner's rows. While constraints wait, it is another
    /// text, and so another prepared statement.
    private func writing(_ sql: String) -> String {
        isDeferring ? sql + "  -- constraints wait" : sql
    }

    func checkConstraints(_ written: [WrittenRows]) throws {
        var broken: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &broken, &highest, 0)
        guard broken != 0 else { return }
        let deleted = written.filter { !$0.deleted.isEmpty }.map(\.table.name)
        let others = written.filter { $0.deleted.isEmpty }.map(\.table.name)
        if others.isEmpty { throw CentralError.childrenLeft(of: deleted) }
        throw CentralError.parentMissing(of: others)
    }

    func evaluate(
        _ expression: RuleExpression, of column: Int, in table: AttachedTable, _ values: RuleValues
    ) throws -> Value {
        let shape = try shape(of: table)
        var arguments: [Value] = []
        var sql = ""
        for piece in expression.pieces {
            switch piece {
            case .sql(let text): sql += text
            case .word(let word):
                sql += shape.argument(column)
                arguments.append(try shape.stored(values[word], in: column))
            }
        }
        let rows = try query("SELECT (\(sql))", arguments)
        return shape.portable(
            rows.first?.first ?? .null, table.description.columns[column].type)
    }

    func highestKey(of table: AttachedTable) throws -> Int64? {
        let shape = try shape(of: table)
        let rows = try query("SELECT max(\(shape.keyColumns[0])) FROM \(shape.name)")
        guard case .integer(let number)? = rows.first?.first else { return nil }
        return number
    }

    func reserveKeys(of table: AttachedTable, count: Int, above floor: Int64) throws
        -> ClosedRange<Int64>?
    {
        let isSequence = """
            SELECT 1 FROM sqlite_master AS t
            WHERE t.type = 'table' AND t.name = ? AND t.sql LIKE '%AUTOINCREMENT%'
              AND EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence')
            """
        let name = Value.text(table.name)
        guard try !query(isSequence, [name]).isEmpty else { return nil }
        let rows = try query("SELECT max(seq) FROM sqlite_sequence WHERE name = ?", [name])
        var known: Int64?
        if case .integer(let number)? = rows.first?.first { known = number }
        let (last, overflow) = max(known ?? 0, floor).addingReportingOverflow(Int64(count))
        if overflow { throw CentralError.keysUsedUp(of: table.name) }
        _ = try query(
            known == nil
                ? "INSERT INTO sqlite_sequence(seq, name) VALUES (?, ?)"
                : "UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [.integer(last), name])
        return (last - Int64(count) + 1)...last
    }

    /// A column stores what its affinity makes of a value.
    func columnsStoredAsWritten(_ table: AttachedTable) throws -> Set<Int>? { nil }

    /// The triggers record the time of the clock. ``setChangedAt(_:times:)`` writes the right times
    /// later.
    func keeping(
        _ times: [KeyedTime], of table: AttachedTable, _ write: () throws -> Void
    ) throws {
        try write()
    }

    func setChangedAt(_ table: AttachedTable, times: [KeyedTime]) throws {
        let shape = try shape(of: table)
        let update = try statement(
            "UPDATE \(shape.track) SET changed_at = ? WHERE \(shape.trackPredicate)")
        for time in times {
            guard let key = try shape.storable(time.key) else { continue }
            try update.run([.time(time.changedAt)] + key)
        }
    }
}
