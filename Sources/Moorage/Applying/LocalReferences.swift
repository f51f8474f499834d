import GRDB
import MoorageCore
import SQLiteSupport

/// Carries out the foreign-key actions of local tables that are not synced. Foreign keys are off
/// while a page is applied, so SQLite does not carry them out.
struct LocalReferences {
    private let transaction: StoreTransaction
    /// Whether a reference that forbids a removal makes the whole operation fail. Otherwise the
    /// reference becomes NULL. If a constraint forbids NULL, its row is removed.
    var mayForbid = true

    init(_ transaction: StoreTransaction) { self.transaction = transaction }

    private func references(to table: String) -> [LocalForeignKey] {
        transaction.tables.localReferences.filter {
            SQLText.isSameName($0.referencedTable, table)
        }
    }

    /// The columns of a table that a local reference names.
    func columns(referencedIn table: String) -> [String] {
        var seen: Set<Identifier> = []
        return references(to: table).flatMap(\.referencedColumns)
            .filter { seen.insert(Identifier(folding: $0)).inserted }
    }

    /// Every row of a table, with the columns that local references name; empty without such a
    /// reference.
    func rows(of table: String) throws -> [RemovedRow] {
        let names = columns(referencedIn: table)
        return names.isEmpty ? [] : try rows(of: table, names, where: "1", [])
    }

    private func rows(
        of table: String, _ names: [String], where condition: String, _ values: [Value]
    ) throws -> [RemovedRow] {
        let statement = try RawStatement(
            transaction.db,
            "SELECT \(SQLText.names(names)) FROM \(SQLText.name(table)) WHERE \(condition)")
        try statement.bind(values)
        var rows: [RemovedRow] = []
        while try statement.step() {
            var row: [Identifier: Value] = [:]
            for (index, name) in names.enumerated() {
                row[Identifier(folding: name)] = statement.column(index).value
            }
            rows.append(RemovedRow(table: table, values: row))
        }
        return rows
    }

    func carryOut(_ removed: [RemovedRow]) throws {
        for row in removed {
            for reference in references(to: row.table) {
                let values = reference.referencedColumns.compactMap {
                    row.values[Identifier(folding: $0)]
                }
                guard values.count == reference.columns.count,
                    !values.contains(where: \.isNull)
                else { continue }
                // Another row may have the same values by now.
                guard try !exists(reference, values) else { continue }
                try carryOut(reference, values)
            }
        }
    }

    /// Makes rows that refer to the old values of a row refer to its new values.
    func follow(
        _ table: String, from old: [Identifier: Value], to new: [Identifier: Value]
    ) throws {
        for reference in references(to: table) {
            let names = reference.referencedColumns.map { Identifier(folding: $0) }
            let values = names.compactMap { old[$0] }
            let newValues = names.compactMap { new[$0] ?? old[$0] }
            guard values.count == reference.columns.count, newValues.count == values.count,
                names.contains(where: { new[$0] != nil })
            else { continue }
            let count = values.count
            let columns = reference.columns.enumerated().map {
                "\(SQLText.name($1)) = ?\(count + $0 + 1)"
            }
            let bytes = reference.columns.enumerated().map {
                "\(SQLText.name($1)) COLLATE BINARY = ?\($0 + 1)"
            }
            do {
                try run(
                    """
                    UPDATE OR ABORT \(SQLText.name(reference.table)) \
                    SET \(columns.joined(separator: ", ")) \
                    WHERE \(condition(reference.columns)) AND \(bytes.joined(separator: " AND "))
                    """, values + newValues, reference.table)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // A constraint of the app forbids it. The row then refers to whichever row has the
                // key now.
                continue
            }
        }
    }

    private func condition(_ names: [String]) -> String {
        names.enumerated().map { "\(SQLText.name($1)) = ?\($0 + 1)" }.joined(separator: " AND ")
    }

    private func exists(_ reference: LocalForeignKey, _ values: [Value]) throws -> Bool {
        try transaction.statements(
            """
            SELECT 1 FROM \(SQLText.name(reference.referencedTable)) \
            WHERE \(condition(reference.referencedColumns))
            """
        ).exists(values)
    }

    private func carryOut(_ reference: LocalForeignKey, _ values: [Value]) throws {
        let table = SQLText.name(reference.table)
        let condition = condition(reference.columns)
        switch reference.onDelete {
        case "CASCADE":
            let names = columns(referencedIn: reference.table)
            let children =
                names.isEmpty
                ? [] : try rows(of: reference.table, names, where: condition, values)
            try run("DELETE FROM \(table) WHERE \(condition)", values, reference.table)
            try carryOut(children)
        case "SET NULL" where !mayForbid: try letGo(reference, values)
        case "SET NULL": try setNull(reference, values)
        case "SET DEFAULT":
            let defaults = try reference.columns.map { name in
                let sql =
                    "SELECT dflt_value FROM pragma_table_info(?) WHERE name = ? COLLATE NOCASE"
                let value = try String.fetchOne(
                    transaction.db, sql: sql, arguments: [reference.table, name])
                return "\(SQLText.name(name)) = (\(value ?? "NULL"))"
            }
            try run(
                "UPDATE \(table) SET \(defaults.joined(separator: ", ")) WHERE \(condition)",
                values, reference.table)
        default:
            let sql = "SELECT 1 FROM \(table) WHERE \(condition)"
            guard try transaction.statements(sql).exists(values) else { return }
            guard mayForbid else { return try letGo(reference, values) }
            throw ReplicaError.removalForbidden(reference.referencedTable, by: reference.table)
        }
    }

    private func setNull(_ reference: LocalForeignKey, _ values: [Value]) throws {
        let nulls = reference.columns.map { "\(SQLText.name($0)) = NULL" }
        try run(
            """
            UPDATE \(SQLText.name(reference.table)) SET \(nulls.joined(separator: ", ")) \
            WHERE \(condition(reference.columns))
            """, values, reference.table)
    }

    private func letGo(_ reference: LocalForeignKey, _ values: [Value]) throws {
        do {
            try setNull(reference, values)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            let table = SQLText.name(reference.table)
            try run(
                "DELETE FROM \(table) WHERE \(condition(reference.columns))", values,
                reference.table)
        }
    }

    private func run(_ sql: String, _ values: [Value], _ table: String) throws {
        try transaction.statements(sql).run(values)
        try transaction.notify(table)
    }
}
