import MoorageCore
import MoorageWire

/// Keeps a change on the device while it needs a row that is not sent now. What needs that change
/// waits, too. Otherwise the hub would refuse the change, and its own row would leave the device
/// (docs/reference/client.md, Changes that are not sent now).
/// A row is not sent now when its table is suspended, when the device cannot send its change, or
/// when its group waits.
extension BatchBuilder {
    /// The log of a table that is suspended, here or at the hub.
    struct SuspendedLog {
        let reading: LogReading

        var table: SyncedTable { reading.table }
    }

    static func suspendedLogs(_ transaction: StoreTransaction) throws -> [SuspendedLog] {
        let statements = transaction.statements
        let atHub = transaction.tables.synced.filter {
            transaction.tables.isSuspendedAtHub($0.name)
        }
        let readings =
            transaction.tables.suspended.map { $0.reading(statements) }
            + atHub.map { LogReading(table: $0, statements: statements) }
        return try readings.filter { try !$0.isEmpty() }.map { SuspendedLog(reading: $0) }
    }

    /// Whether a change has to wait for another row, directly or through others.
    func dependsOnBlocked(
        _ table: Int, _ localKey: LocalKey, _ operation: Change.Operation
    ) throws -> Bool {
        guard groups?.hasBlocked == true || !suspended.isEmpty || hasBlocked else { return false }
        if case .delete(let before) = operation, try blockingChildren(table, before) != nil {
            return true
        }
        let search = try searchBlocked(LogGroups.Member(table: table, localKey: localKey))
        guard let row = search.found else {
            free.formUnion(search.seen)
            return false
        }
        var next: LogGroups.Member? = row
        while let one = next {
            blocked.insert(one)
            next = search.cameFrom[one]
        }
        return true
    }

    /// How a search for a row that is not sent now went.
    struct Search {
        /// The first such row: the row itself, or one that it needs.
        var found: LogGroups.Member?
        var cameFrom: [LogGroups.Member: LogGroups.Member] = [:]
        var seen: Set<LogGroups.Member>
    }

    func searchBlocked(_ start: LogGroups.Member) throws -> Search {
        var search = Search(seen: [start])
        var open = [start]
        while let row = open.popLast() {
            if free.contains(row) { continue }
            if try blocked.contains(row) || obstacle(row) != nil {
                search.found = row
                return search
            }
            for needed in try needs(of: row) where search.seen.insert(needed).inserted {
                search.cameFrom[needed] = row
                open.append(needed)
            }
        }
        return search
    }

    /// Why a row is not sent now.
    enum Obstacle {
        /// Its group has a row of a suspended table.
        case group
        /// The device does not send its change.
        case unsendable(Refusal)
        /// It needs a pending change of a suspended table.
        case parent(of: Identifier, LocalKey)
    }

    /// A reason of the row's own; `nil` without one.
    func obstacle(_ row: LogGroups.Member) throws -> Obstacle? {
        if let groups, let number = groups.number(row.table, row.localKey), groups.isBlocked(number)
        {
            return .group
        }
        let group = try group(row.table, row.localKey)
        guard let localChange = try localChange(row.table, group) else { return nil }
        if hasBlocked, case .blocked(let refusal) = try made(row.table, group, localChange) {
            return .unsendable(refusal)
        }
        for reference in try referred(row, localChange) {
            if let parent = try suspendedParent(reference) { return parent }
        }
        return nil
    }

    /// The rows that have to be sent with a row, or before it.
    private func needs(of row: LogGroups.Member) throws -> [LogGroups.Member] {
        var result: [LogGroups.Member] = []
        if let groups, let number = groups.number(row.table, row.localKey) {
            result = groups.members[number]
        }
        guard let localChange = try localChange(row.table, group(row.table, row.localKey)) else {
            return result
        }
        return try result
            + referred(row, localChange).compactMap { reference in
                guard
                    let parent = tables.firstIndex(where: {
                        $0.name == reference.foreign.referencedTable
                    }), logCounts[parent] > 0,
                    let localKey = try parentKey(
                        parent, reference.foreign.referencedColumns, reference.values),
                    let brought = try self.localChange(parent, group(parent, localKey)),
                    Self.brings(brought, reference.foreign, tables[parent])
                else { return nil }
                return LogGroups.Member(table: parent, localKey: localKey)
            }
    }

    // MARK: References

    /// A reference that a change makes.
    private struct Reference {
        let foreign: ForeignKey
        /// The values in portable form, and as they are stored.
        let values: [Value]
        let stored: [Value]
    }

    private func referred(_ row: LogGroups.Member, _ localChange: LocalChange) throws -> [Reference]
    {
        let synced = tables[row.table]
        let references = synced.description.foreignKeys.filter { localChange.writes($0.columns) }
        guard !references.isEmpty, let stored = try reading(row.table).row(localKey: row.localKey)
        else { return [] }
        return references.compactMap { foreign in
            let raw = foreign.columns.map { stored[$0].value }
            if raw.contains(where: \.isNull) { return nil }
            return Reference(
                foreign: foreign,
                values: zip(foreign.columns, raw).map { synced.form($0).portable($1) },
                stored: raw)
        }
    }

    /// Whether a change of a parent gives it the values that are referred to.
    private static func brings(
        _ localChange: LocalChange, _ foreign: ForeignKey, _ parent: SyncedTable
    ) -> Bool {
        localChange.writes(
            foreign.referencedColumns.compactMap { parent.description.column(named: $0) })
    }

    /// The pending change of a suspended table that a reference needs: it inserts the row, or gives
    /// it the value. `nil` without one.
    private func suspendedParent(_ reference: Reference) throws -> Obstacle? {
        for log in suspended
        where log.table.name == reference.foreign.referencedTable {
            for localKey in try Self.keys(log, reference) {
                if let localChange = try log.reading.localChange(localKey: localKey),
                    Self.brings(localChange, reference.foreign, log.table)
                {
                    return .parent(of: log.table.name, localKey)
                }
            }
        }
        return nil
    }

    /// The rows of a suspended table that are referred to. The stored values decide, as in SQLite.
    private static func keys(_ log: SuspendedLog, _ reference: Reference) throws -> [LocalKey] {
        let table = log.table
        let positions = reference.foreign.referencedColumns.compactMap {
            table.description.column(named: $0)
        }
        guard positions.count == reference.stored.count else { return [] }
        guard log.reading.hasRows else {
            // The log of a table that cannot be read knows only the keys of its rows.
            return positions == table.description.primaryKey ? [LocalKey(reference.stored)] : []
        }
        let condition = positions.enumerated().map {
            "\(SQLText.name(table.localName($1))) = ?\($0 + 1)"
        }.joined(separator: " AND ")
        let sql = """
            SELECT \(SQLText.names(table.keyLocalNames)) FROM \(log.reading.target) \
            WHERE \(condition)
            """
        let row = try log.reading.statements(sql).first(reference.stored)
        return row.map { [LocalKey($0.map(\.value))] } ?? []
    }

    /// A suspended table of which a row referred to a deleted row: at the hub it still does. `nil`
    /// without one.
    func blockingChildren(_ table: Int, _ before: [Value]) throws -> Identifier? {
        let parent = tables[table]
        for log in suspended {
            for foreign in log.table.description.foreignKeys
            where parent.name == foreign.referencedTable {
                guard let positions = foreign.positions(in: parent.description) else { continue }
                let logged = foreign.columns.compactMap { log.table.logColumn($0) }
                let values = positions.compactMap { parent.form($0).local(before[$0]) }
                guard logged.count == positions.count, values.count == positions.count,
                    !values.contains(where: \.isNull)
                else { continue }
                let condition = logged.enumerated().map { "\($1) = ?\($0 + 1)" }
                    .joined(separator: " AND ")
                let sql = """
                    SELECT 1 FROM \(log.reading.log)
                    WHERE op <> \(LogOperation.insert.sql) AND \(condition) LIMIT 1
                    """
                if try log.reading.statements(sql).exists(values) { return log.table.name }
            }
        }
        return nil
    }
}
