import MoorageCore
import MoorageWire

/// The tables of a hub as they are attached, compared with what the central database says now.
struct AttachedSchema: Sendable {
    /// In foreign-key order.
    let tables: [AttachedTable]
    let schema: SchemaDescription
    /// Why a table is suspended, by name, with what fixes it.
    let suspended: [Identifier: String]
    /// Why the hub sends nothing to anybody: it cannot tell the scopes of a table's rows. It cannot
    /// suspend that table alone, because it would miss what changes in the table meanwhile.
    let scopeProblem: String?
    /// Why the hub cannot apply the columns, rights and minimum versions of the configuration.
    let columnProblem: String?
    /// The positions in ``tables``, by every name that a table has.
    private let places: [Identifier: Int]
    /// Every name of the suspended tables.
    let suspendedNames: Set<Identifier>
    let rightsAnswers = RightsAnswers()

    /// - Parameters:
    ///   - scopes: How the rows of each table came into scopes when it was attached: text, by the
    ///     table's number.
    ///   - problems: Why tables that fit their descriptions are suspended, by number
    ///     (``TrackingCheck``).
    init(
        tables known: [AttachedTable], central: [CentralTable], scopes: [Int: String] = [:],
        problems: [Int: String] = [:], configuration: HubConfiguration
    ) {
        let attached = known.map { table in
            AttachedTable(
                number: table.number,
                description: table.description.travelling(
                    configuration.directions[table.name] ?? .both,
                    ruledBy: configuration.rules(for: table.name)
                ).named(by: configuration))
        }
        let filtered = attached.map { table in
            AttachedTable(
                number: table.number,
                description: table.description.filtered(by: configuration.columns[table.name]))
        }
        tables = SchemaDescription(tables: filtered.map(\.description)).tables.compactMap { table in
            filtered.first { $0.name.hasSameBytes(as: table.name) }
        }
        let keys = ChosenKeys(configured: configuration.keys, known: known)
        let resolution = ScopeResolution(
            settings: configuration.scopes, tables: attached.map(\.description),
            central: central.map { (try? keys.keyed($0)) ?? $0 })
        var suspended: [Identifier: String] = [:]
        var held: [TableDescription] = []
        var scopeProblem: String?
        var columnProblem = attached.map(\.description).problemOfNames
        for table in attached {
            suspended[Identifier(table.name)] =
                Self.problem(of: table.description, in: central)
                ?? Self.problem(of: table.description, beside: attached.map(\.description))
                ?? problems[table.number]
            if let settings = configuration.columns[table.name], columnProblem == nil {
                columnProblem =
                    table.description.problem(
                        of: settings, beside: attached.map(\.description))
                    ?? table.description.problem(ofNamesIn: settings)
            }
            if let rights = configuration.rights.tables[table.name], columnProblem == nil {
                columnProblem = table.description.problem(of: rights)
            }
            do {
                let closed = try resolution.closed(table.description)
                held.append(closed.filtered(by: configuration.columns[table.name]))
                let paths = try resolution.paths(of: table.description)
                if (paths.isEmpty ? nil : paths.text) != scopes[table.number] {
                    scopeProblem =
                        scopeProblem ?? ConfigurationProblem.otherScopes(of: table.name)
                }
            } catch {
                held.append(table.description)
                scopeProblem =
                    scopeProblem ?? (error as? HubError)?.message
                    ?? ConfigurationProblem.otherScopes(of: table.name)
            }
        }
        self.scopeProblem = scopeProblem
        let named = Set(configuration.columns.keys).union(configuration.rights.tables.keys)
            .union(configuration.minimumClientVersions.keys)
            .union(configuration.tableNames.keys).union(configuration.keys.keys)
        for name in named.sorted()
        where columnProblem == nil && !attached.contains(where: { $0.name.hasSameBytes(as: name) })
        {
            // A misspelled name may mean another table, which would then go to everyone.
            columnProblem = ConfigurationProblem.settingsOfUnattachedTable(name)
        }
        self.columnProblem = columnProblem
        schema = SchemaDescription(tables: held)
        self.suspended = suspended
        places = Dictionary(
            tables.enumerated().flatMap { place, table in
                table.description.names.map { (Identifier($0), place) }
            }, uniquingKeysWith: { first, _ in first })
        suspendedNames = Set(
            tables.filter { suspended[Identifier($0.name)] != nil }
                .flatMap { $0.description.names.map { Identifier($0) } })
    }

    /// Reads the tables as they are attached, and compares them with what the database says now.
    init(on connection: any CentralConnection, configuration: HubConfiguration) throws {
        let metadata = Metadata(connection: connection)
        let tables = try metadata.tables()
        self.init(
            tables: tables, central: try connection.readTables(), scopes: try metadata.scopes(),
            problems: try TrackingCheck(connection: connection).problems(of: tables),
            configuration: configuration)
    }

    /// The tables that are not suspended.
    var runningTables: [AttachedTable] { tables.filter { suspended[Identifier($0.name)] == nil } }

    var suspendedTables: [SuspendedTable] {
        schema.tables.compactMap { table in
            suspended[Identifier(table.name)].map { SuspendedTable(name: table.name, reason: $0) }
        }
    }

    /// The table that has this name in the central database or in an app.
    func table(named name: String) -> AttachedTable? { places[Identifier(name)].map { tables[$0] } }

    /// The name in the central database for one that a replica uses. A name that no table has
    /// stays.
    func centralName(of name: String) -> String { table(named: name)?.name ?? name }

    /// Why a table cannot go to devices: they would not have the rows that it refers to.
    private static func problem(
        of table: TableDescription, beside others: [TableDescription]
    ) -> String? {
        guard table.direction.isReceived else { return nil }
        for foreign in table.foreignKeys {
            let parent = others.first { $0.name.hasSameBytes(as: foreign.referencedTable) }
            guard let parent, !parent.direction.isReceived else { continue }
            return SuspensionReason.parentNotReceived(parent.name, by: table.name)
        }
        return nil
    }

    /// Why an attached table no longer fits the central database; `nil` when it does. New columns
    /// fit: the hub does not sync them until the table is attached again.
    static func problem(of table: TableDescription, in central: [CentralTable]) -> String? {
        guard let found = central.first(where: { $0.name.hasSameBytes(as: table.name) }) else {
            return SuspensionReason.gone(table.name)
        }
        switch found.keyed(as: table).support {
        case .unsupported where found.keyless != nil:
            return SuspensionReason.keyGone(table.keyNames, of: table.name)
        case .unsupported(let reason): return SuspensionReason.unsupportedNow(reason)
        case .supported(let now):
            for column in table.columns {
                guard let position = now.column(named: column.name) else {
                    return SuspensionReason.columnGone(column.name, from: table.name)
                }
                let type = now.columns[position].type
                guard type == column.type else {
                    return SuspensionReason.typeChanged(
                        of: column.name, in: table.name, from: column.type.name, to: type.name)
                }
            }
            guard table.keyNames.elementsEqual(now.keyNames, by: { $0.hasSameBytes(as: $1) }) else {
                return SuspensionReason.keyChanged(of: table.name)
            }
            return nil
        }
    }
}
