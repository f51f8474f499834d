import GRDB
import GRDBSQLite
import MoorageCore
import MoorageWire

/// A refusal has a cause: what is refused must be refused by itself, too, once everything else stands.
extension JudgedPush {
    /// - Parameter isAuditWhole: Whether the audit knows every key that the centre ever had.
    func checkRefusals(isAuditWhole: Bool) throws {
        var swapping: [String: [Change]] = [:]
        for (change, outcome) in pairs {
            guard case .refused(let refusal) = outcome.kind else { continue }
            if refusal.code == .gone {
                if isAuditWhole { try checkWasThere(change) }
                continue
            }
            // What hangs below a row that got another key asks for that one.
            if refusal.code == .foreignKey, keepsBoth { continue }
            // What refers to a row that its user does not see is refused whatever the centre would take.
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

    /// An update is refused as `gone` only of a row that the centre had.
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

    /// The change as SQL; `nil` where the merge has a say in what is written.
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
    /// Whether a transaction of these statements could be committed. Nothing of it stays.
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

    /// Columns that are part of a unique index beside the key.
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

    /// Tables whose foreign keys lead to a table, at whatever distance.
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

    /// The foreign keys of a table. The generator's name the parent's key, in its order.
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
