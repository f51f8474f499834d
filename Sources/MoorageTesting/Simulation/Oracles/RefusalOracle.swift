import GRDB
import GRDBSQLite
import MoorageCore
import MoorageWire

/// Checks that a refusal has a cause: the refused change must also fail alone, after everything
/// else was applied.
extension JudgedPush {
    /// - Parameter isAuditWhole: Whether the audit knows every key that the central database ever
    ///   had.
    func checkRefusals(isAuditWhole: Bool) throws {
        var swapping: [String: [Change]] = [:]
        for (change, outcome) in pairs {
            guard case .refused(let refusal) = outcome.kind else { continue }
            if refusal.code == .gone {
                if isAuditWhole { try checkWasThere(change) }
                continue
            }
            // A row below a rekeyed row refers to the new key.
            if refusal.code == .foreignKey, keepsBoth { continue }
            // The hub refuses a reference to a row that the user does not see, whatever the central
            // database would accept.
            if refusal.code == .foreignKey, isScoped(change.table) { continue }
            guard Self.databaseCodes.contains(refusal.code), let sql = statement(change) else {
                continue
            }
            if try centre.accepts([sql]) {
                throw Violation(
                    .refusal,
                    "batch \(batch.number): the centre takes what was refused (\(refusal.code.rawValue)): \(sql)"
                )
            }
            if refusal.code == .unique, case .update = change.operation {
                swapping[change.table, default: []].append(change)
            }
        }
        for (table, changes) in swapping where changes.count > 1 {
            let unique = try centre.uniqueColumns(of: table)
            let vacated = changes.compactMap { statement($0, vacating: unique) }
            if try centre.accepts(vacated + changes.compactMap { statement($0) }) {
                throw Violation(
                    .refusal,
                    "batch \(batch.number): rows of \(table) that swap unique values were refused")
            }
        }
    }

    private static let databaseCodes: Set<Refusal.Code> = [
        .check, .unique, .foreignKey, .notNull, .trigger,
    ]

    /// Checks that an update is refused as `gone` only for a row that the central database once
    /// had.
    private func checkWasThere(_ change: Change) throws {
        guard case .update = change.operation else { return }
        let key = change.key.values.map { "quote(\($0.literal))" }.joined(separator: " || '/' || ")
        let isKnown = try centre.write {
            try !$0.rawRows(
                """
                SELECT 1 FROM sim_audit WHERE tbl = \(Value.text(change.table).literal) \
                AND key = \(key) LIMIT 1
                """
            ).isEmpty
        }
        guard !isKnown else { return }
        throw Violation(
            .refusal,
            "batch \(batch.number): \(change.table) \(change.key.values.jsonText()) was never there, and is called gone"
        )
    }

    /// The change as SQL; `nil` when the merge affects what is written.
    private func statement(_ change: Change, vacating unique: Set<String>? = nil) -> String? {
        let names = columns(change)
        let row = before.rows[change.rowName]
        let table = "\"\(change.table)\""
        switch change.operation {
        case .insert(let values):
            guard row == nil, after.rows[change.rowName] == nil else { return nil }
            let written = zip(names, values).filter {
                mayInsert($0.0, into: change.table) && !isDownOnly($0.0, of: change.table)
            }
            let list = written.map { "\"\($0.0)\"" }.joined(separator: ", ")
            return
                "INSERT INTO \(table) (\(list)) VALUES (\(written.map(\.1.literal).joined(separator: ", ")))"
        case .update(let edits):
            guard let row, after.rows[change.rowName] == row,
                edits.allSatisfy({ row[names[$0.column]]?.means($0.old) ?? false })
            else { return nil }
            let sets = edits.compactMap { edit -> String? in
                guard let unique else { return "\"\(names[edit.column])\" = \(edit.new.literal)" }
                return unique.contains(names[edit.column])
                    ? "\"\(names[edit.column])\" = NULL" : nil
            }
            guard !sets.isEmpty, let condition = condition(change) else { return nil }
            return "UPDATE \(table) SET \(sets.joined(separator: ", ")) WHERE \(condition)"
        case .delete(let image):
            guard let row, after.rows[change.rowName] == row,
                rules[change.table]?.softDelete == nil,
                zip(names, image).allSatisfy({
                    isDownOnly($0, of: change.table) || row[$0]?.means($1) ?? true
                }),
                let condition = condition(change)
            else { return nil }
            return "DELETE FROM \(table) WHERE \(condition)"
        case .refetch: return nil
        }
    }

    private func condition(_ change: Change) -> String? {
        let keys = (centre.columns[change.table] ?? []).keys
        guard keys.count == change.key.values.count else { return nil }
        return zip(keys, change.key.values).map { "\"\($0.name)\" = \($1.literal)" }
            .joined(separator: " AND ")
    }
}

extension SimulatedCentre {
    /// Whether a transaction of these statements could be committed. It is always rolled back.
    func accepts(_ statements: [String]) throws -> Bool {
        try write { db in
            let handle = db.sqliteConnection
            func run(_ sql: String) -> Bool {
                sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
            }
            guard run("BEGIN IMMEDIATE") else { return false }
            defer { _ = run("ROLLBACK") }
            guard run("PRAGMA defer_foreign_keys = ON"), statements.allSatisfy(run) else {
                return false
            }
            var broken: Int32 = 0
            var highest: Int32 = 0
            sqlite3_db_status(handle, SQLITE_DBSTATUS_DEFERRED_FKS, &broken, &highest, 0)
            return broken == 0
        }
    }

    /// Columns that are part of a unique index other than the key.
    func uniqueColumns(of table: String) throws -> Set<String> {
        let names = try write {
            try $0.rawRows(
                """
                SELECT c.name FROM pragma_index_list('\(table)') i, pragma_index_info(i.name) c \
                WHERE i."unique" AND i.origin <> 'pk'
                """)
        }
        return Set(names.compactMap { CentralAudit.text($0[0]) })
    }

    /// Tables whose foreign keys lead to a table, directly or through other tables.
    func tablesBelow(_ table: String) throws -> Set<String> {
        var found: Set<String> = []
        var open = [table]
        while let parent = open.popLast() {
            let children = try tables.filter { child in
                try references(of: child).contains { $0.parent == parent }
            }
            open += children.filter { found.insert($0).inserted }
        }
        return found
    }

    func isReference(_ column: String, in table: String) throws -> Bool {
        try references(of: table).contains { $0.columns.contains(column) }
    }

    /// The foreign keys of a table. Foreign keys of generated tables name the parent's key, in its
    /// order.
    func references(of table: String) throws -> [(parent: String, columns: [String])] {
        let rows = try write {
            try $0.rawRows(
                """
                SELECT id, "table", "from" FROM pragma_foreign_key_list('\(table)') ORDER BY id, seq
                """)
        }
        var found: [(id: Value, parent: String, columns: [String])] = []
        for row in rows {
            guard let parent = CentralAudit.text(row[1]), let column = CentralAudit.text(row[2])
            else { continue }
            if found.last?.id != row[0] { found.append((row[0], parent, [])) }
            found[found.endIndex - 1].columns.append(column)
        }
        return found.map { ($0.parent, $0.columns) }
    }
}
