import GRDB
import MoorageCore
import MoorageWire

/// No value that nobody edited after another's edit ever wins, also while schemas change.
extension HistoryOracles {
    /// Checks in the central audit that no value comes back to a cell in which another one
    /// replaced it. A cell is a row and a column, under whatever name the column has.
    func checkStaleValues() throws {
        let history = simulation.history
        guard history.changesSchemas, !history.repeatsValues else { return }
        let names = ColumnNames(history.world)
        // By table, key and column: all values of the cell, in their order. Two keys may be one text
        // in two Unicode forms.
        var cells: [[Value]: [String]] = [:]
        for record in try records() {
            guard let column = record.column, !comesBack(record.table),
                history.world.rules[record.table]?.granularity != .row
            else { continue }
            let first = names.origin(of: column, in: record.table).name
            let cell = [record.table, record.key, first].map(Value.text)
            let value = record.value ?? "NULL"
            if Ledger.isToken(value), cells[cell]?.contains(value) == true {
                let values = (cells[cell] ?? []) + [value]
                throw Violation(
                    .staleValue,
                    "\(record.table).\(column) of \(record.key), at first \(first), was \(values.joined(separator: ", then "))"
                )
            }
            cells[cell, default: []].append(value)
        }
    }
}

extension History {
    /// Whether tables change on both sides.
    fileprivate var changesSchemas: Bool {
        steps.contains { step in
            switch step.action {
            case .alter, .upgrade: true
            default: false
            }
        }
    }
}

extension JudgedPush {
    /// Checks that what a column had before it was synced goes in only where nobody wrote.
    ///
    /// - Returns: How many such values went in.
    func checkFills() throws -> Int {
        var count = 0
        for (change, outcome) in pairs where change.hasFills && !isRefused(outcome) {
            let names = columns(change)
            guard let row = before.rows[change.rowName], let now = after.rows[change.rowName] else {
                continue
            }
            for fill in change.fills {
                let column = names[fill.column]
                guard let was = row[column], let value = now[column], value != was else { continue }
                count += 1
                guard try !was.isNull && was != centre.standardValue(of: column, in: change.table)
                else { continue }
                throw Violation(
                    .staleValue,
                    "batch \(batch.number): \(change.table).\(column) of \(change.key.values.jsonText()) was \(was.literal), and a migration's \(fill.new.literal) made it \(value.literal)"
                )
            }
        }
        return count
    }
}

extension SimulatedCentre {
    /// What a column has where nobody writes.
    fileprivate func standardValue(of column: String, in table: String) throws -> Value {
        try write { db in
            let name = Value.text(column).literal
            let rows = try db.rawRows(
                "SELECT dflt_value FROM pragma_table_info('\(table)') WHERE name = \(name)")
            guard case .text(let sql)? = rows.first?.first else { return .null }
            return try db.rawRows("SELECT \(sql)").first?.first ?? .null
        }
    }
}
