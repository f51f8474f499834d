import MoorageCore

extension Page {
    func write(to writer: inout JSONWriter) {
        writeMembers(to: &writer) { removal, writer in
            writer.name("keys")
            writer.array { for key in removal.keys { key.write(to: &$0) } }
        } rows: { table, writer in
            writer.name("rows")
            writer.array {
                for row in 0..<table.content.count {
                    $0.array {
                        for column in table.content.columns { column[row].write(to: &$0) }
                    }
                }
            }
        }
    }

    /// Writes the page as JSON. The encoding decides how to write keys and rows.
    func writeMembers(
        to writer: inout JSONWriter, keys: (TableKeys, inout JSONWriter) -> Void,
        rows: (TableRows, inout JSONWriter) -> Void
    ) {
        writer.object {
            $0.name("since")
            since.write(to: &$0)
            $0.name("cursor")
            cursor.write(to: &$0)
            $0.name("caughtUp")
            $0.bool(isCaughtUp)
            if let expectedRows {
                $0.name("expected")
                $0.integer(Int64(expectedRows))
            }
            if !expectedTables.isEmpty {
                $0.name("expectedTables")
                $0.array { for table in expectedTables { table.write(to: &$0) } }
            }
            $0.name("removals")
            $0.array {
                for removal in removals {
                    $0.object {
                        $0.name("table")
                        $0.string(removal.table)
                        keys(removal, &$0)
                    }
                }
            }
            $0.name("tables")
            $0.array {
                for table in tables {
                    $0.object {
                        $0.name("table")
                        $0.string(table.table)
                        $0.name("columns")
                        $0.strings(table.columns)
                        rows(table, &$0)
                    }
                }
            }
            $0.name("withheld")
            $0.array {
                for row in withheld {
                    $0.object {
                        $0.name("row")
                        row.row.write(to: &$0)
                        $0.name("column")
                        $0.string(row.column)
                        $0.name("reason")
                        $0.string(row.reason)
                    }
                }
            }
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        try self.init(reading) { (removal) throws(HubError) in
            try TableKeys(removal)
        } rows: { (table) throws(HubError) in
            try TableRows(table)
        }
    }

    init(
        _ reading: JSONReading, keys: (JSONReading) throws(HubError) -> TableKeys,
        rows: (JSONReading) throws(HubError) -> TableRows
    ) throws(HubError) {
        // In the order of the blocks.
        let removals = try reading.member("removals").map(keys)
        let tables = try reading.member("tables").map(rows)
        self.init(
            since: try SyncCursor(reading.member("since")),
            cursor: try SyncCursor(reading.member("cursor")),
            isCaughtUp: try reading.member("caughtUp").bool(), tables: tables, removals: removals,
            withheld: try reading.member("withheld").map { (row) throws(HubError) in
                WithheldRow(
                    row: try RowName(row.member("row")), column: try row.member("column").string(),
                    reason: try row.member("reason").string())
            },
            expectedRows: try reading.optional("expected")?.count(),
            expectedTables: try reading.optional("expectedTables")?.map {
                (table) throws(HubError) in try ExpectedTable(table)
            } ?? [])
    }
}

extension ExpectedTable {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("table")
            $0.string(table)
            $0.name("rows")
            $0.integer(Int64(rows))
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        self.init(
            table: try reading.member("table").string(), rows: try reading.member("rows").count())
    }
}

extension TableRows {
    fileprivate init(_ reading: JSONReading) throws(HubError) {
        let columns = try reading.member("columns").names()
        var content = RowColumns(columnCount: columns.count)
        for row in try reading.member("rows").array() {
            let values = try row.values()
            guard values.count == columns.count else {
                throw row.error("one value for each column")
            }
            content.append(values)
        }
        self.init(
            table: try reading.member("table").string(), columns: columns, content: content)
    }
}

extension TableKeys {
    fileprivate init(_ reading: JSONReading) throws(HubError) {
        self.init(
            table: try reading.member("table").string(),
            keys: try reading.member("keys").map { (key) throws(HubError) in try RowKey(key) })
    }
}
