import MoorageCore
package import MoorageWire

extension SchemaFile {
    /// What is different in a newer file, one sentence each; empty if the files are equal.
    package func differences(to newer: SchemaFile) -> [String] {
        var result: [String] = []
        for table in schema.tables where newer.schema.table(named: table.name) == nil {
            result.append("The table \(table.name) is gone.")
        }
        for table in newer.schema.tables {
            guard let old = schema.table(named: table.name) else {
                result.append("The table \(table.name) is new.")
                continue
            }
            let comparison = TableComparison(
                old: old, new: table, oldDetails: details[Identifier(table.name)] ?? TableDetails(),
                newDetails: newer.details[Identifier(table.name)] ?? TableDetails())
            result += comparison.differences
        }
        return result
    }
}

/// Two versions of one table.
private struct TableComparison {
    let old: TableDescription
    let new: TableDescription
    let oldDetails: TableDetails
    let newDetails: TableDetails

    var differences: [String] {
        var result: [String] = []
        for column in old.columns where new.column(named: column.name) == nil {
            result.append("The column \(old.name).\(column.name) is gone.")
        }
        for (position, column) in new.columns.enumerated() {
            guard let place = old.column(named: column.name) else {
                result.append("The column \(old.name).\(column.name) is new.")
                continue
            }
            let changed = changes(from: place, to: position)
            guard !changed.isEmpty else { continue }
            result.append(
                "The column \(old.name).\(column.name) has another "
                    + changed.joined(separator: ", ") + ".")
        }
        let changed = tableChanges
        if !changed.isEmpty {
            result.append(
                "The table \(old.name) has another " + changed.joined(separator: ", ") + ".")
        }
        return result
    }

    private func changes(from place: Int, to position: Int) -> [String] {
        let (old, new) = (old.columns[place], new.columns[position])
        let oldDetails = oldDetails.columns[place] ?? ColumnDetails()
        let newDetails = newDetails.columns[position] ?? ColumnDetails()
        return [
            (old.type != new.type, "type"),
            (old.isNullable != new.isNullable, "rule for NULL"),
            (!isSameDefault(old, new), "default"),
            (old.isGenerated != new.isGenerated, "rule for who computes it"),
            (old.appNames != new.appNames, "set of names in apps"),
            (oldDetails.original != newDetails.original, "type in the database"),
            (oldDetails.comment != newDetails.comment, "comment"),
            (oldDetails.labels != newDetails.labels, "list of labels"),
            (oldDetails.isFile != newDetails.isFile, "rule for files"),
        ].compactMap { isChanged, name in isChanged ? name : nil }
    }

    /// Databases write one constant in several ways.
    private func isSameDefault(_ old: ColumnDescription, _ new: ColumnDescription) -> Bool {
        if case .value(let one) = old.defaultValue, case .value(let other) = new.defaultValue {
            return new.type.equal(one, other)
        }
        return old.defaultValue == new.defaultValue
    }

    private var tableChanges: [String] {
        [
            (isReordered, "order of columns"),
            (names(old, old.primaryKey) != names(new, new.primaryKey), "key"),
            (Set(keys(old)) != Set(keys(new)), "set of unique keys"),
            (Set(references(old)) != Set(references(new)), "set of foreign keys"),
            (old.direction != new.direction, "direction"),
            (old.granularity != new.granularity, "granularity"),
            (old.keyBlock != new.keyBlock, "size of key blocks"),
            (old.appNames != new.appNames, "set of names in apps"),
            (oldDetails.comment != newDetails.comment, "comment"),
            (Set(oldDetails.checks) != Set(newDetails.checks), "set of checks"),
            (indexes(old, oldDetails) != indexes(new, newDetails), "set of indexes"),
        ].compactMap { isChanged, name in isChanged ? name : nil }
    }

    /// Whether the columns that both versions have are in another order.
    private var isReordered: Bool {
        old.columns.map(\.name).filter { new.column(named: $0) != nil }
            != new.columns.map(\.name).filter { old.column(named: $0) != nil }
    }

    private func names(_ table: TableDescription, _ positions: [Int]) -> [String] {
        positions.map { table.columns[$0].name }
    }

    private func keys(_ table: TableDescription) -> [[String]] {
        table.uniqueKeys.map { names(table, $0).sorted() }
    }

    /// Without those for foreign keys, which some databases make by themselves, and
    /// `moorage attach --from` makes elsewhere.
    private func indexes(_ table: TableDescription, _ details: TableDetails) -> Set<[String]> {
        let own = details.indexes.filter { index in
            !table.foreignKeys.contains { $0.columns == index }
        }
        return Set(own.map { names(table, $0) })
    }

    /// A foreign key with its columns by name.
    private struct Reference: Hashable {
        let columns: [String]
        let key: ForeignKey
    }

    private func references(_ table: TableDescription) -> [Reference] {
        table.foreignKeys.map { foreign in
            Reference(
                columns: names(table, foreign.columns),
                key: ForeignKey(
                    columns: [], referencedTable: foreign.referencedTable,
                    referencedColumns: foreign.referencedColumns, onDelete: foreign.onDelete,
                    onUpdate: foreign.onUpdate, isDeferrable: foreign.isDeferrable))
        }
    }
}
