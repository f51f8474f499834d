public import MoorageCore

/// Columns of a table that do not travel like the others, or mean something more, for every user.
public struct ColumnSettings: Hashable, Sendable {
    /// Never sent and never written: an insert leaves them to the database.
    public var hidden: Set<String>
    /// Sent, but never taken from devices. An insert leaves them to the database, and an edit is
    /// refused. The answer corrects what a device wrote there.
    public var downOnly: Set<String>
    /// Columns of type text with references to files. They travel like any text. Only the
    /// schema answer names them, for tools that generate code.
    public var files: Set<String>
    /// The names by which apps may have columns, by column.
    public var names: [String: AppNames]

    /// Hidden columns and those that only come down are not part of the table's key. A hidden
    /// column is not part of a foreign key between synced tables either.
    public init(
        hidden: Set<String> = [], downOnly: Set<String> = [], files: Set<String> = [],
        names: [String: AppNames] = [:]
    ) {
        self.hidden = hidden
        self.downOnly = downOnly
        self.files = files
        self.names = names
    }
}

extension TableDescription {
    /// The table as devices know it.
    ///
    /// To a device, a column that only comes down is a generated one, which it never sends.
    func filtered(by settings: ColumnSettings?) -> TableDescription {
        guard let settings, !settings.hidden.isEmpty || !settings.downOnly.isEmpty else {
            return self
        }
        let visible = columns.map(\.name).filter { name in
            !settings.hidden.contains { $0.hasSameBytes(as: name) }
        }
        guard let table = restricted(to: visible) else { return self }
        return table.with(
            columns: table.columns.map { column in
                guard settings.downOnly.contains(where: { $0.hasSameBytes(as: column.name) }) else {
                    return column
                }
                var downOnly = ColumnDescription(
                    name: column.name, type: column.type, isNullable: column.isNullable,
                    defaultValue: column.defaultValue, isGenerated: true)
                downOnly.appNames = column.appNames
                return downOnly
            })
    }

    /// Why these rights cannot apply; `nil` when they can.
    func problem(of rights: [String: TableRights]) -> String? {
        for column in Set(rights.values.flatMap { $0.columns ?? [] }).sorted()
        where self.column(named: column) == nil {
            return ConfigurationProblem.rightToUnknownColumn(column, of: name)
        }
        return nil
    }

    /// Why columns cannot travel as these settings say; `nil` when they can.
    ///
    /// - Parameter others: The tables that are synced.
    func problem(of settings: ColumnSettings, beside others: [TableDescription]) -> String? {
        for column in settings.hidden.union(settings.downOnly).sorted() {
            guard let position = self.column(named: column) else {
                return ConfigurationProblem.unknownColumn(column, of: name)
            }
            if isKey(position) { return ConfigurationProblem.keyColumn(column, of: name) }
        }
        for column in settings.files.sorted() {
            guard let position = self.column(named: column) else {
                return ConfigurationProblem.unknownColumn(column, of: name)
            }
            let type = columns[position].type
            guard type == .text else {
                return ConfigurationProblem.fileColumn(column, of: name, type: type.name)
            }
        }
        for other in others {
            for foreign in other.foreignKeys where foreign.referencedTable.hasSameBytes(as: name) {
                guard
                    let hidden = foreign.referencedColumns.first(where: { name in
                        settings.hidden.contains { $0.hasSameBytes(as: name) }
                    })
                else { continue }
                return ConfigurationProblem.hiddenColumn(
                    hidden, of: name, isReferredToBy: other.name)
            }
        }
        for foreign in foreignKeys
        where others.contains(where: { $0.name.hasSameBytes(as: foreign.referencedTable) }) {
            let names = foreign.columns.map { columns[$0].name }
            guard
                let hidden = names.first(where: { name in
                    settings.hidden.contains { $0.hasSameBytes(as: name) }
                })
            else { continue }
            return ConfigurationProblem.hiddenColumn(
                hidden, of: name, refersTo: foreign.referencedTable)
        }
        return nil
    }
}
