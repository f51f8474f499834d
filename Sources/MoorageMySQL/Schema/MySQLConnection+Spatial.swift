import MoorageCore
import MoorageHub

/// Columns of types that no device can store, and what the tables' owner can do.
extension MySQLConnection {
    func spatialProblem(_ columns: [ColumnRow], _ primary: Index?) -> TableProblem? {
        guard let column = columns.first(where: { $0.problem != nil }), let problem = column.problem
        else { return nil }
        guard let primary, !primary.isPartial else { return problem }
        // The advice would create a table with only the key and such a column, which this table is
        // already.
        let others = columns.filter { one in
            one.problem == nil && !primary.columns.contains { $0.hasSameBytes(as: one.name) }
        }
        if others.isEmpty { return problem }
        let keys = primary.columns.map(SQLText.ownersName).joined(separator: ", ")
        let (table, name) = (SQLText.ownersName(column.table), SQLText.ownersName(column.name))
        return TableProblem(
            problem.reason,
            repair: [
                """
                -- CREATE TABLE \(SQLText.ownersName("\(column.table)_\(column.name)")) (PRIMARY KEY (\(keys))) \
                ENGINE = InnoDB AS SELECT \(keys), \(name) FROM \(table)
                """,
                "-- ALTER TABLE \(table) DROP COLUMN \(name)",
            ])
    }
}
