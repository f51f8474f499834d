import MoorageCore

extension TableDescription {
    /// The table with the names by which apps may have it and its columns.
    func named(by configuration: HubConfiguration) -> TableDescription {
        var table = self
        table.appNames = configuration.tableNames[name] ?? AppNames()
        guard let names = configuration.columns[name]?.names, !names.isEmpty else { return table }
        return table.with(
            columns: columns.map { column in
                var column = column
                column.appNames = names[column.name] ?? AppNames()
                return column
            })
    }

    /// Why apps cannot have these names for the table's columns; `nil` when they can.
    ///
    /// - Parameter settings: Those by which this table is named.
    func problem(ofNamesIn settings: ColumnSettings) -> String? {
        for column in settings.names.keys.sorted() where self.column(named: column) == nil {
            return ConfigurationProblem.unknownColumn(column, of: name)
        }
        func place(_ column: ColumnDescription) -> String { "\(name).\(column.name)" }
        var owners = NameOwners(columns.map { ($0.name, place($0)) })
        for column in columns {
            let names = column.appNames
            if let problem = names.problem(of: place(column)) { return problem }
            if let problem = owners.problem(of: names, place(column)) { return problem }
        }
        return nil
    }
}

extension [TableDescription] {
    /// Why apps cannot have the names of these tables; `nil` when they can.
    var problemOfNames: String? {
        var owners = NameOwners(map { ($0.name, $0.name) })
        for table in self {
            let names = table.appNames
            if let problem = names.problem(of: table.name) { return problem }
            if let name = names.configured.first(where: { $0.isReservedOnDevices }) {
                return ConfigurationProblem.reservedName(name, of: table.name)
            }
            if let problem = owners.problem(of: names, table.name) { return problem }
        }
        return nil
    }
}

extension AppNames {
    /// - Parameter place: The table or column that has the names.
    fileprivate func problem(of place: String) -> String? {
        guard renamedFrom.count <= Self.maximumCount else {
            return ConfigurationProblem.tooManyNames(of: place, most: Self.maximumCount)
        }
        guard configured.allSatisfy(Self.isUsable) else {
            return ConfigurationProblem.unusableName(of: place, most: Self.maximumLength)
        }
        return nil
    }
}

/// Which table or column each name means. A name that means two of them would mix their values.
private struct NameOwners {
    private var places: [[UInt8]: String] = [:]

    /// - Parameter central: Names in the central database, each with its table or column. They may
    ///   be alike in case, because a device need not have both.
    init(_ central: [(name: String, place: String)]) {
        for (name, place) in central { places[name.foldedOnDevices] = place }
    }

    /// Why the configured names cannot mean this place alone; `nil` when they can.
    mutating func problem(of names: AppNames, _ place: String) -> String? {
        for name in names.configured {
            guard let other = places.updateValue(place, forKey: name.foldedOnDevices) else {
                continue
            }
            return ConfigurationProblem.nameTaken(name, of: place, by: other)
        }
        return nil
    }
}
