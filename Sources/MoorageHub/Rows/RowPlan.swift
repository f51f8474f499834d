import MoorageCore
import MoorageWire

/// The writes of one request against the rows that are there: which are refused at once, which
/// changes the others become, and what became of them.
struct RowPlan {
    let connection: any CentralConnection
    /// In foreign-key order.
    let tables: [AttachedTable]
    let configuration: HubConfiguration
    let visible: Set<Scope>
    let rights: UserRights
    private var writes: [PlannedWrite]
    /// The rows as they were locked, by the table's number.
    private(set) var locked: [Int: [RowKey: CentralRow]] = [:]

    init(
        _ writes: [PlannedWrite], connection: any CentralConnection, tables: [AttachedTable],
        configuration: HubConfiguration, visible: Set<Scope>, rights: UserRights
    ) {
        self.connection = connection
        self.tables = tables
        self.configuration = configuration
        self.visible = visible
        self.rights = rights
        self.writes = writes
    }

    var isRefused: Bool { writes.contains { $0.problem != nil } }

    /// The results of a request of which nothing is written, because some writes are refused.
    var undone: [RowResult] { writes.map { .refused($0.problem ?? .notWritten) } }

    /// The places of the writes to each table, in foreign-key order.
    private var places: [(table: AttachedTable, places: [Int])] {
        let byNumber = Dictionary(grouping: writes.indices) {
            writes[$0].write.table.attached.number
        }
        return tables.compactMap { table in byNumber[table.number].map { (table, $0) } }
    }

    // MARK: Reading

    /// Reads and locks the rows, and decides what can be decided without writing.
    ///
    /// - Parameter now: The hub's clock.
    mutating func read(now: HubTime) throws {
        refuseGroups()
        for (table, places) in places {
            refuseRepeated(places, of: table)
            let keys = Set(
                places.compactMap { writes[$0].problem == nil ? writes[$0].key : nil })
            let rows = try connection.lockRows(table, keys: Array(keys))
            locked[table.number] = rows
            let known = try visibility.known(of: rows, in: table)
            let marker = SoftDelete(configuration.rules(for: table.name), in: table.description)
            for place in places where writes[place].problem == nil {
                guard let key = writes[place].key else { continue }
                if writes[place].hasChosenKey, let found = rows[key],
                    found.values != nil || found.isTombstone
                {
                    throw ChosenKeyTaken(table: table)
                }
                let row = (known[key] ?? rows[key])?.values
                let isDeleted = row.map { marker?.isSoftDeleted($0) ?? false } ?? true
                refusing(place) { [rights] planned throws(RowProblem) in
                    try planned.plan(against: row, isDeleted: isDeleted, rights, now)
                }
            }
        }
        refuseGroups()
    }

    /// A row is written once. What a second write would find, nobody could say.
    private mutating func refuseRepeated(_ places: [Int], of table: AttachedTable) {
        var seen: Set<RowKey> = []
        for place in places where writes[place].problem == nil {
            guard let key = writes[place].key, !seen.insert(key).inserted else { continue }
            writes[place].problem = .writtenTwice(in: table.name)
        }
    }

    /// Refuses what is in one group with a write that is refused.
    private mutating func refuseGroups() {
        let groups = refusedGroups
        if groups.isEmpty { return }
        for place in writes.indices where writes[place].problem == nil {
            guard let group = writes[place].write.group, groups.contains(group) else { continue }
            writes[place].problem = .notWritten
        }
    }

    private var refusedGroups: Set<Int> {
        Set(writes.compactMap { $0.problem == nil ? nil : $0.write.group })
    }

    private var visibility: Visibility {
        Visibility(
            connection: connection, settings: configuration.scopes, authorized: visible,
            rights: rights)
    }

    private mutating func refusing(
        _ place: Int, _ work: (inout PlannedWrite) throws(RowProblem) -> Void
    ) {
        guard writes[place].problem == nil else { return }
        do throws(RowProblem) {
            try work(&writes[place])
        } catch {
            writes[place].problem = error
        }
    }

    // MARK: Changes

    /// Changes that can be pushed together: each table has one list of columns.
    struct Part {
        fileprivate(set) var tables: [TableColumns] = []
        fileprivate(set) var changes: [Change] = []
        /// For each change its place in the request.
        fileprivate(set) var places: [Int] = []

        func batch(nonce: String, now: HubTime) -> Batch {
            Batch(
                number: 0, nonce: nonce, preparedAt: DeviceTime(milliseconds: now.milliseconds),
                tables: tables, changes: changes)
        }

        /// - Returns: Whether it takes the change. It does not where its table has other columns.
        fileprivate mutating func add(_ planned: PlannedWrite, at place: Int) -> Bool {
            guard let change = planned.change else { return true }
            let columns = TableColumns(name: change.table, columns: planned.columns)
            if let known = tables.first(where: { $0.name.hasSameBytes(as: change.table) }) {
                guard known.hasSameBytes(as: columns) else { return false }
            } else {
                tables.append(columns)
            }
            changes.append(change)
            places.append(place)
            return true
        }
    }

    /// The changes in parts, to be pushed one after the other.
    ///
    /// All of them are one part, unless new rows of one table name different columns. Then new
    /// rows come first, those of the tables that others refer to before the others.
    func parts() -> [Part] {
        let planned = writes.indices.filter {
            writes[$0].problem == nil && writes[$0].change != nil
        }
        if planned.isEmpty { return [] }
        var whole = Part()
        if planned.allSatisfy({ whole.add(writes[$0], at: $0) }) { return [whole] }
        var parts: [Part] = []
        var rest = Part()
        let inserts = Dictionary(grouping: planned.filter { writes[$0].isInsert }) {
            writes[$0].write.table.attached.number
        }
        for table in tables {
            var own: [[Identifier]: Int] = [:]
            for place in inserts[table.number] ?? [] {
                let columns = writes[place].columns.map { Identifier($0) }
                if own[columns] == nil {
                    own[columns] = parts.count
                    parts.append(Part())
                }
                if let part = own[columns] { _ = parts[part].add(writes[place], at: place) }
            }
        }
        for place in planned where !writes[place].isInsert {
            _ = rest.add(writes[place], at: place)
        }
        return rest.changes.isEmpty ? parts : parts + [rest]
    }

    mutating func take(_ outcomes: [Outcome], of part: Part) {
        for (place, outcome) in zip(part.places, outcomes) { writes[place].take(outcome) }
    }

    /// Checks that no row came meanwhile where there was none: a lock keeps nobody from inserting.
    ///
    /// - Throws: ``CentralError`` of kind `conflict` otherwise.
    func checkAbsent(in part: Part) throws {
        for place in part.places where writes[place].isNew && writes[place].isRefusedAsTaken {
            guard let key = writes[place].key else { continue }
            let table = writes[place].write.table.attached
            if try isThere(key, in: table) {
                throw CentralError.keyTakenMeanwhile(in: table.name)
            }
        }
    }

    private func isThere(_ key: RowKey, in table: AttachedTable) throws -> Bool {
        try connection.lockRows(table, keys: [key])[key]?.values != nil
    }

    // MARK: Results

    /// The places of groups of which the database refused some writes and carried out others, with
    /// why each of their writes is refused.
    var brokenGroups: [Int: RowProblem] {
        let groups = refusedGroups
        var places: [Int: RowProblem] = [:]
        var broken: Set<Int> = []
        for place in writes.indices {
            guard let group = writes[place].write.group, groups.contains(group) else { continue }
            if writes[place].problem == nil { broken.insert(group) }
            places[place] = writes[place].problem ?? .notWritten
        }
        return places.filter { place, _ in
            writes[place].write.group.map(broken.contains) ?? false
        }
    }

    /// What the conflict log says of the refused writes at these places.
    func refusals(
        among records: [ConflictRecord], at places: some Sequence<Int>
    ) -> [ConflictRecord] {
        let names = Set(
            places.compactMap { place in
                writes[place].key.map {
                    RowText(writes[place].write.table.name, $0.values.jsonText())
                }
            })
        return records.filter {
            $0.reasonCode != nil && names.contains(RowText($0.table, $0.key))
        }
    }

    /// What became of each write, with the rows as they are now.
    func results() throws -> [RowResult] {
        var rows: [RowName: RowContent] = [:]
        for (table, places) in places {
            let keys = places.compactMap { writes[$0].problem == nil ? writes[$0].key : nil }
            let own = writes[places[0]].write.table
            for values in try connection.rows(table, keys: keys, in: visible) {
                let name = RowName(table: table.name, key: table.description.key(of: values))
                rows[name] = RowContent(values, of: own)
            }
        }
        return writes.map { planned in
            planned.result { rows[RowName(table: planned.write.table.name, key: $0)] }
        }
    }
}

/// A row as the conflict log names it.
private struct RowText: Hashable {
    let table: Identifier
    let key: Identifier

    init(_ table: String, _ key: String) {
        self.table = Identifier(table)
        self.key = Identifier(key)
    }
}

/// A row has a key, or had it, that the hub chose for a new one.
struct ChosenKeyTaken: Error {
    let table: AttachedTable
}
