import MoorageCore

extension Page {
    /// Whether the keys of each table have one length, and every table with rows has columns.
    var isRegular: Bool {
        removals.allSatisfy { removal in
            removal.keys.allSatisfy { $0.values.count == removal.keys[0].values.count }
        }
            && tables.allSatisfy { table in
                table.content.count == 0 || !table.columns.isEmpty
            }
    }

    /// Writes the page as JSON without its rows and keys, and then these column by column.
    func writeBlocks(to writer: inout ByteWriter) {
        var head = JSONWriter()
        writeMembers(to: &head) { removal, head in
            head.name("count")
            head.integer(Int64(removal.keys.count))
            head.name("parts")
            head.integer(Int64(removal.keys.first?.values.count ?? 0))
        } rows: { table, head in
            head.name("count")
            head.integer(Int64(table.content.count))
        }
        writer.head(head.bytes)
        for removal in removals {
            let parts = removal.keys.first?.values.count ?? 0
            writer.reserve(values: removal.keys.count)
            for part in 0..<parts {
                writer.column(ValueColumn(removal.keys.map { $0.values[part] }))
            }
        }
        for table in tables where table.content.count > 0 {
            for column in table.content.columns { writer.column(column) }
        }
    }

    init(_ reader: inout ByteReader) throws(HubError) {
        let head = try JSONReading(parsing: try reader.part(), memory: reader.memory)
        var blocks = reader
        try self.init(head) { (removal) throws(HubError) in
            return TableKeys(
                table: try removal.member("table").string(),
                keys: try blocks.keys(
                    removal.member("count").count(), parts: removal.member("parts").count()))
        } rows: { (table) throws(HubError) in
            let columns = try table.member("columns").names()
            return TableRows(
                table: try table.member("table").string(), columns: columns,
                content: try blocks.rows(table.member("count").count(), columns: columns.count))
        }
        reader = blocks
    }
}

extension ByteReader {
    /// Rows, each of at least one column.
    mutating func rows(_ count: Int, columns: Int) throws(HubError) -> RowColumns {
        guard columns > 0 || count == 0 else { throw Self.error("rows without columns") }
        guard count > 0 else { return RowColumns(columnCount: columns) }
        var read: [ValueColumn] = []
        for _ in 0..<columns { read.append(try column(count)) }
        return RowColumns(read)
    }

    mutating func keys(_ count: Int, parts: Int) throws(HubError) -> [RowKey] {
        guard count > 0 else { return [] }
        guard parts > 0 else { throw Self.error("an empty key") }
        try reserve(values: count)
        return try rows(count, columns: parts).rows.map { RowKey($0) }
    }
}
