import MoorageCore
import MoorageWire

/// Rows and removals of one page, and what is remembered of them once the page is in.
struct PageContent: Sendable {
    struct Entry: Sendable {
        let values: RowValues
        /// The key of the row that it is part of.
        let parent: RowKey?
        /// `nil` for an element: its parent's digest covers it.
        let digest: String?
        let etag: String?
    }

    let schema: RESTSchema
    private(set) var rows: [RowName: Entry] = [:]
    private(set) var removals: Set<RowName> = []
    private(set) var withheld: [WithheldRow] = []
    /// Rows that are as the device has them.
    private(set) var unchanged: [RowName] = []
    /// Rows that the next list must bring.
    private(set) var forgotten: [RowName] = []
    /// Rows that this exchange pushed. The list that follows may not have them yet.
    private(set) var fresh: Set<RowName> = []
    /// Rows that are there, and that the last scan did not meet.
    private(set) var unlisted: Set<RowName> = []
    /// About how many bytes the rows have.
    private(set) var byteCount = 0

    init(_ schema: RESTSchema) { self.schema = schema }

    var count: Int { rows.count + removals.count + withheld.count }
    var isEmpty: Bool { count == 0 && unchanged.isEmpty && forgotten.isEmpty }

    mutating func put(_ row: ServerRow, of model: RESTModel, isFresh: Bool = false) {
        let name = RowName(table: model.table.name, key: row.key)
        add(
            name,
            Entry(
                values: row.values, parent: nil, digest: model.digest(of: row), etag: row.etag))
        if isFresh { fresh.insert(name) }
        for (group, elements) in zip(model.children, row.children) {
            for element in elements ?? [] {
                add(
                    RowName(table: group.table.name, key: element.key),
                    Entry(values: element.values, parent: row.key, digest: nil, etag: nil))
            }
        }
    }

    /// A row as the device had it. The next list says what it is at the server.
    mutating func restore(_ name: RowName, _ values: RowValues, parent: RowKey?) {
        add(name, Entry(values: values, parent: parent, digest: nil, etag: nil))
    }

    private mutating func add(_ name: RowName, _ entry: Entry) {
        removals.remove(name)
        withheld.removeAll { $0.row == name }
        rows[name] = entry
        byteCount += entry.values.reduce(32) { $0 + ($1?.byteCount ?? 0) }
    }

    /// Removes rows, except those that the page has: an element may have moved to another row, and a
    /// row of the device may have had the key of another one.
    mutating func remove(_ names: some Sequence<RowName>) {
        for name in names where rows[name] == nil { removals.insert(name) }
    }

    /// Whether the page says anything of a row.
    func names(_ name: RowName) -> Bool {
        rows[name] != nil || removals.contains(name) || withheld.contains { $0.row == name }
    }

    /// Whether the page says anything of a row of a model, or of its elements.
    func names(anyOf model: RESTModel) -> Bool {
        let tables = Set([model.table.name] + model.children.map(\.table.name))
        return rows.keys.contains { tables.contains($0.table) }
            || removals.contains { tables.contains($0.table) }
            || withheld.contains { tables.contains($0.row.table) }
    }

    /// Removes a row of which the page may have an earlier state, with its elements.
    mutating func drop(_ name: RowName, with elements: [RowName], of tables: [String]) {
        let own = elements.filter { rows[$0].map { $0.parent == name.key } ?? true }
        let here = rows.filter { $0.value.parent == name.key && tables.contains($0.key.table) }
        for name in own + here.map(\.key) + [name] {
            rows[name] = nil
            removals.insert(name)
        }
        withheld.removeAll { $0.row == name }
    }

    mutating func withhold(_ name: RowName, because fault: RowFault) {
        rows[name] = nil
        removals.remove(name)
        withheld.removeAll { $0.row == name }
        withheld.append(WithheldRow(row: name, column: "", reason: fault.reason))
    }

    mutating func keep(_ name: RowName) { unchanged.append(name) }

    mutating func unlist(_ name: RowName) { unlisted.insert(name) }

    mutating func forget(_ name: RowName) { forgotten.append(name) }

    // MARK: The page

    /// - Parameter tables: What the replica asked for.
    func page(
        since: SyncCursor, cursor: SyncCursor, isCaughtUp: Bool, tables: [TableColumns]
    ) -> Page {
        let asked = tables.filter { schema.table(named: $0.name)?.isReceived == true }
            .sorted { schema.order(of: $0.name) < schema.order(of: $1.name) }
        return Page(
            since: since, cursor: cursor, isCaughtUp: isCaughtUp,
            tables: asked.flatMap(tableRows),
            removals: asked.reversed().compactMap { table in
                let keys = removals.filter { $0.table.hasSameBytes(as: table.name) }.map(\.key)
                return keys.isEmpty
                    ? nil : TableKeys(table: table.name, keys: keys.sorted(by: RowKey.isBefore))
            },
            withheld: withheld.filter { row in
                asked.contains { $0.name.hasSameBytes(as: row.row.table) }
            })
    }

    /// The rows of a table, those with the same columns together.
    private func tableRows(_ table: TableColumns) -> [TableRows] {
        guard let description = schema.table(named: table.name)?.description else { return [] }
        let columns = table.columns.compactMap { description.column(named: $0) }
        var groups: [[Int]: [(key: RowKey, row: [Value])]] = [:]
        for (name, entry) in rows where name.table.hasSameBytes(as: table.name) {
            let known = columns.filter { entry.values[$0] != nil }
            groups[known, default: []].append((name.key, known.compactMap { entry.values[$0] }))
        }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { known, rows in
            TableRows(
                table: table.name, columns: known.map { description.columns[$0].name },
                rows: rows.sorted { RowKey.isBefore($0.key, $1.key) }.map(\.row))
        }
    }
}

extension RESTTable {
    var isReceived: Bool { description.direction.isReceived }
}

extension RowKey {
    /// One order for all keys.
    static func isBefore(_ left: RowKey, _ right: RowKey) -> Bool {
        left.values.jsonText() < right.values.jsonText()
    }
}
