import MoorageCore
import MoorageWire

/// Turns the owner's rules into paths along the existing foreign keys. Checks that no row can reach
/// a device without the rows that it refers to. Pure.
struct ScopeResolution {
    let settings: ScopeSettings
    /// The tables that are synced.
    let tables: [TableDescription]
    /// Every table of the database.
    let central: [CentralTable]

    /// The most tables over which a row's scopes are found.
    private static let maximumLevels = 8
    private static let maximumPaths = 16
    /// More scope ancestors than any table can have.
    static let maximumAncestors = maximumPaths * (maximumLevels + 1)

    /// A table's paths; empty for a table that is everyone's.
    ///
    /// - Throws: ``HubError`` `configuration` that names the table and what to do.
    func paths(of table: TableDescription) throws -> [ScopePath] {
        let paths = try resolve(table, below: [])
        guard paths.count <= Self.maximumPaths else {
            throw HubError.tooManyScopePaths(of: table.name, most: Self.maximumPaths)
        }
        return paths
    }

    private func resolve(_ table: TableDescription, below: [String]) throws -> [ScopePath] {
        guard !below.contains(where: { $0.hasSameBytes(as: table.name) }) else {
            throw HubError.scopesInCircle(at: table.name)
        }
        guard below.count < Self.maximumLevels else {
            throw HubError.scopesTooFarAway(from: table.name, most: Self.maximumLevels)
        }
        return try (settings.rules[table.name] ?? []).flatMap { rule in
            let level = ScopePath.Level(
                table: table.name,
                conditions: try rule.conditions.map { try condition($0, of: table) },
                filters: try rule.filters.map { try ScopePath.Filter($0, of: table) })
            switch rule.source {
            case .everyone: return [ScopePath(levels: [level], source: .everyone)]
            case .column(let kind, let column):
                let type = try type(of: column, in: table)
                return [ScopePath(levels: [level], source: .column(kind: kind, column, type))]
            case .members(let name, let kind, let column):
                let members = try members(name, of: table, kind: kind, column: column)
                return [ScopePath(levels: [level], source: .members(members))]
            case .through(let columns):
                return try through(columns, of: table, from: level, below: below)
            }
        }
    }

    private func through(
        _ columns: [String], of table: TableDescription, from own: ScopePath.Level,
        below: [String]
    ) throws -> [ScopePath] {
        guard
            let foreign = table.foreignKeys.first(where: {
                names($0, table).areSameNames(as: columns)
            }),
            let parent = tables.first(where: { $0.name.hasSameBytes(as: foreign.referencedTable) })
        else {
            throw HubError.scopeThroughNoKey(of: table.name, columns)
        }
        if let column = foreign.columns.first(where: { table.columns[$0].isGenerated }) {
            throw HubError.scopeThroughGenerated(table.columns[column].name, of: table.name)
        }
        let level = ScopePath.Level(
            table: table.name, conditions: own.conditions, filters: own.filters,
            link: ScopePath.Link(columns: columns, referenced: foreign.referencedColumns))
        let above = try resolve(parent, below: below + [table.name])
        let paths =
            above.isEmpty
            ? [ScopePath(levels: [ScopePath.Level(table: parent.name)], source: .everyone)] : above
        return paths.map { $0.below(level) }
    }

    private func members(
        _ name: String, of table: TableDescription, kind: String, column: String
    ) throws -> ScopePath.Members {
        guard let found = central.first(where: { $0.name.hasSameBytes(as: name) }),
            case .supported(let members) = found.support
        else {
            throw HubError.membersWithoutKey(name, of: table.name)
        }
        let links = members.foreignKeys.filter {
            $0.referencedTable.hasSameBytes(as: table.name)
        }
        guard links.count == 1, let link = links.first else {
            throw HubError.membersNotByOneKey(name, of: table.name)
        }
        return ScopePath.Members(
            table: members.name,
            link: ScopePath.Link(
                columns: names(link, members), referenced: link.referencedColumns),
            kind: kind, column: column, type: try type(of: column, in: members))
    }

    private func names(_ foreign: ForeignKey, _ table: TableDescription) -> [String] {
        foreign.columns.map { table.columns[$0].name }
    }

    private func type(of column: String, in table: TableDescription) throws -> ColumnType {
        guard let position = table.column(named: column) else {
            throw HubError.noScopeColumn(column, in: table.name)
        }
        let type = table.columns[position].type
        // In SQLite no trigger that names a generated column (`UPDATE OF`) fires for it.
        guard !table.columns[position].isGenerated else {
            throw HubError.scopeByGenerated(column, in: table.name)
        }
        switch type {
        case .integer, .boolean, .text, .uuid: return type
        default: throw HubError.scopeByType(type.name, of: column, in: table.name)
        }
    }

    private func condition(
        _ condition: ScopeRule.Condition, of table: TableDescription
    ) throws -> ScopePath.Condition {
        let type = try type(of: condition.column, in: table)
        let fits =
            switch type {
            case .integer: Int64(condition.value) != nil
            case .boolean: ["true", "false"].contains(condition.value)
            case .uuid: UUIDText.bytes(condition.value) != nil
            default: !condition.value.utf8.contains(0)
            }
        guard fits else {
            throw HubError.impossibleCondition(
                on: condition.column, of: type.name, in: table.name)
        }
        return ScopePath.Condition(column: condition.column, type: type, value: condition.value)
    }

    // MARK: Foreign keys

    /// The table as devices have it: without its unenforced foreign keys.
    ///
    /// - Throws: ``HubError`` `configuration` where another foreign key leads to a row that may be
    ///   missing where the table's own row is.
    func closed(_ table: TableDescription) throws -> TableDescription {
        let own = try paths(of: table)
        let open = settings.unenforcedKeys[table.name] ?? []
        for columns in open
        where !table.foreignKeys.contains(where: { names($0, table).areSameNames(as: columns) }) {
            throw HubError.noUnenforcedKey(of: table.name, columns)
        }
        let kept = try table.foreignKeys.filter { foreign in
            let columns = names(foreign, table)
            if open.contains(where: { columns.areSameNames(as: $0) }) { return false }
            guard try isClosed(foreign, of: table, own) else {
                throw HubError.rowsWithoutParents(
                    of: table.name, columns, parent: foreign.referencedTable)
            }
            return true
        }
        return table.holding(kept)
    }

    private func isClosed(
        _ foreign: ForeignKey, of table: TableDescription, _ own: [ScopePath]
    ) throws -> Bool {
        if foreign.referencedTable.hasSameBytes(as: table.name) {
            return try isSelfClosed(foreign, own, table)
        }
        guard
            let parent = tables.first(where: { $0.name.hasSameBytes(as: foreign.referencedTable) })
        else { return true }
        let above = try paths(of: parent)
        if above.isEmpty { return true }
        if own.isEmpty { return false }
        let columns = names(foreign, table)
        return own.allSatisfy { path in
            let first = path.levels[0]
            if let link = first.link, link.columns.areSameNames(as: columns),
                link.referenced.areSameNames(as: foreign.referencedColumns)
            {
                return true
            }
            return isByEqualColumns(path, above, columns, foreign.referencedColumns)
        }
    }

    /// Whether the foreign key contains the scope's own column, as the keys of tables with tenants
    /// do.
    private func isByEqualColumns(
        _ path: ScopePath, _ above: [ScopePath], _ columns: [String], _ referenced: [String]
    ) -> Bool {
        guard path.levels.count == 1, case .column(let kind, let column, let type) = path.source
        else { return false }
        return zip(columns, referenced).contains { own, other in
            own.hasSameBytes(as: column)
                && above.contains { parent in
                    parent.levels.count == 1 && parent.levels[0].isOfEveryRow
                        && parent.source == .column(kind: kind, other, type)
                }
        }
    }

    /// For a table that refers to itself: whether the key says that both rows are in the same
    /// scope.
    private func isSelfClosed(
        _ foreign: ForeignKey, _ own: [ScopePath], _ table: TableDescription
    ) throws -> Bool {
        if own.isEmpty { return true }
        return own.allSatisfy {
            isByEqualColumns($0, own, names(foreign, table), foreign.referencedColumns)
        }
    }
}

extension [String] {
    /// Whether these are the same names in the same order, by their bytes.
    fileprivate func areSameNames(as other: [String]) -> Bool {
        elementsEqual(other) { $0.hasSameBytes(as: $1) }
    }
}
