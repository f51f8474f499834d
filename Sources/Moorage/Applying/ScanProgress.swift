import MoorageCore
import MoorageWire

/// How far a scan has come, as the file remembers it from page to page.
struct ScanProgress {
    let meta: Metadata

    /// Adds what a page brought.
    func add(_ page: Page, rowsWritten: Int, to result: inout ApplyResult) throws {
        let isFirst = page.expectedRows != nil
        let before = isFirst ? 0 : try meta.integer(.doneRows) ?? 0
        let done = before + Int64(rowsWritten)
        let expected = try page.expectedRows ?? meta.integer(.expectedRows).map(Int.init)
        try meta.set(.expectedRows, expected)
        try meta.set(.doneRows, done)
        result.rowsDone = Int(done)
        result.rowsExpected = expected
        // Most pages belong to no scan.
        if expected == nil { return }
        var tables =
            isFirst
            ? page.expectedTables.map {
                TableProgress(table: $0.table, rowsDone: 0, rowsExpected: $0.rows)
            } : try self.tables()
        if tables.isEmpty {
            // A hub of an earlier version does not say.
            if isFirst { try meta.set(.tableProgress, .null) }
            return
        }
        let places = Dictionary(
            tables.indices.map { (Identifier(tables[$0].table), $0) },
            uniquingKeysWith: { first, _ in first })
        func count(_ rows: Int, of table: String) {
            if let place = places[Identifier(table)] { tables[place].rowsDone += rows }
        }
        for rows in page.tables { count(rows.content.count, of: rows.table) }
        for removal in page.removals { count(removal.keys.count, of: removal.table) }
        for row in page.withheld { count(1, of: row.row.table) }
        try set(tables)
        result.tables = tables
    }

    /// The tables of the scan that is under way, in its order.
    func tables() throws -> [TableProgress] {
        guard let text = try meta.text(.tableProgress) else { return [] }
        return try meta.damaged("tableProgress") {
            let values = try [Value](jsonText: text)
            return stride(from: 0, to: values.count - 2, by: 3).compactMap { place in
                guard case .text(let table) = values[place],
                    case .integer(let done) = values[place + 1],
                    case .integer(let expected) = values[place + 2]
                else { return nil }
                return TableProgress(
                    table: table, rowsDone: Int(done), rowsExpected: Int(expected))
            }
        }
    }

    private func set(_ tables: [TableProgress]) throws {
        let values = tables.flatMap { table -> [Value] in
            [
                .text(table.table), .integer(Int64(table.rowsDone)),
                .integer(Int64(table.rowsExpected)),
            ]
        }
        try meta.set(.tableProgress, values.jsonText())
    }

    /// The scan is over.
    func end() throws {
        guard try meta.integer(.expectedRows) != nil else { return try meta.set(.doneRows, .null) }
        for name in [Metadata.Name.expectedRows, .doneRows, .tableProgress] {
            try meta.set(name, .null)
        }
    }
}
