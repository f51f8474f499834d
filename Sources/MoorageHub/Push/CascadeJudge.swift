import MoorageCore

/// Reads before a delete what its cascades would reach, and judges every row that the batch does
/// not delete itself (docs/reference/hub.md, Deletes and cascades).
struct CascadeJudge {
    let connection: any CentralConnection
    let schema: AttachedSchema
    let configuration: HubConfiguration
    let visibility: Visibility
    /// Rows that the batch deletes, without those whose deletion was overruled.
    var deleted: Set<RowName>
    /// Rows that the batch writes, as they will be when its deletes are carried out.
    let arriving: [RowName: ArrivingRow]

    enum Verdict {
        /// The delete may go on. These rows go with it, and have lost.
        case goes([(table: AttachedTable, row: [Value])])
        /// A row below stays by its table's rule, so the parent stays, too.
        case stays(table: String)
        /// The replica cannot see a row that the delete would remove or change, or its user may not
        /// delete it.
        case isNotAllowed(table: String)
    }

    /// A delete with a deeper cascade does not go on, because a cycle of cascades must end.
    private static let maximumDepth = 32

    func judge(
        _ row: [Value], of table: AttachedTable, from origin: ChangeOrigin
    ) throws -> Verdict {
        var lost: [(table: AttachedTable, row: [Value])] = []
        var seen: Set<RowName> = [RowName(table: table.name, key: table.description.key(of: row))]
        var level = [(table, row)]
        for _ in 0..<Self.maximumDepth {
            if level.isEmpty { return .goes(lost) }
            var next: [(AttachedTable, [Value])] = []
            for (parent, row) in level {
                if let table = try visibility.hiddenReferrers(
                    to: row, of: parent, in: schema)
                {
                    return .isNotAllowed(table: table)
                }
                for (child, childRow) in try children(of: row, in: parent) {
                    let name = RowName(table: child.name, key: child.description.key(of: childRow))
                    guard seen.insert(name).inserted else { continue }
                    next.append((child, childRow))
                    if arriving[name] == nil, try !visibility.isVisible(name.key, of: child) {
                        return .isNotAllowed(table: child.name)
                    }
                    if deleted.contains(name) { continue }
                    guard visibility.rights.mayDelete(child.name) else {
                        return .isNotAllowed(table: child.name)
                    }
                    guard try isOverruled(childRow, of: child, name.key, from: origin) else {
                        return .stays(table: child.name)
                    }
                    lost.append((child, childRow))
                }
            }
            level = next
        }
        return level.isEmpty ? .goes(lost) : .stays(table: table.name)
    }

    /// A row that the batch writes, and when it was edited.
    struct ArrivingRow {
        let table: AttachedTable
        let row: [Value]
        let editedAt: HubTime
        /// Whether the central database has no such row yet.
        let isNew: Bool
    }

    private func children(
        of row: [Value], in parent: AttachedTable
    ) throws -> [(AttachedTable, [Value])] {
        var result: [(AttachedTable, [Value])] = []
        for child in schema.tables where schema.suspended[Identifier(child.name)] == nil {
            for foreign in child.description.foreignKeys
            where foreign.onDelete == .cascade
                && foreign.referencedTable.hasSameBytes(as: parent.name)
            {
                guard let values = foreign.values(of: row, in: parent.description) else { continue }
                result += try connection.referringRows(child, through: foreign, to: [values])
                    .filter { row in
                        let key = child.description.key(of: row)
                        return arriving[RowName(table: child.name, key: key)] == nil
                    }.map { (child, $0) }
                result += arriving.values.filter { own in
                    own.table.number == child.number
                        && zip(foreign.columns, values).allSatisfy { column, value in
                            child.description.columns[column].type.equal(own.row[column], value)
                        }
                }.map { (child, $0.row) }
            }
        }
        return result
    }

    private func isOverruled(
        _ row: [Value], of table: AttachedTable, _ key: RowKey, from origin: ChangeOrigin
    ) throws -> Bool {
        let rules = configuration.rules(for: table.name)
        // A soft-deleted row does not keep its parent, even if this very batch marked it.
        if let marker = SoftDelete(rules, in: table.description), marker.isSoftDeleted(row) {
            return true
        }
        // The later of the replica's own two changes wins, whatever the rule says about others.
        if let own = arriving[RowName(table: table.name, key: key)] {
            guard own.editedAt < origin.editedAt else { return false }
            // A row that was there before is still judged, because others may have changed it.
            if own.isNew { return true }
        }
        switch rules.deleteRule {
        case .client: return true
        case .server: return false
        default:
            guard let central = try connection.lockRows(table, keys: [key])[key] else {
                return true
            }
            let metadata = Metadata(connection: connection)
            return origin.isNewer(
                than: configuration.classes.isEmpty
                    ? central : try metadata.ranked(central, key, in: table))
        }
    }
}
