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
    let makeID: @Sendable () -> String
    private var writes: [PlannedWrite]

    init(
        _ batch: RowBatch, connection: any CentralConnection, tables: [AttachedTable],
        configuration: HubConfiguration, visible: Set<Scope>, rights: UserRights,
        makeID: @escaping @Sendable () -> String
    ) {
        self.connection = connection
        self.tables = tables
        self.configuration = configuration
        self.visible = visible
        self.rights = rights
        self.makeID = makeID
        writes = batch.writes.map { PlannedWrite($0) }
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
        for (table, places) in places {
            for place in places {
                refusing(place) { planned throws(RowProblem) in try planned.readKey() }
            }
            try chooseKeys(for: places, of: table)
            refuseRepeated(places, of: table)
            let keys = Set(places.compactMap { writes[$0].key })
            let rows = try connection.lockRows(table, keys: Array(keys))
            let known = try visibility.known(of: rows, in: table)
            let marker = SoftDelete(configuration.rules(for: table.name), in: table.description)
            for place in places {
                guard let key = writes[place].key else { continue }
                let row = (known[key] ?? rows[key])?.values
                let isDeleted = row.map { marker?.isSoftDeleted($0) ?? false } ?? true
                refusing(place) { [rights] planned throws(RowProblem) in
                    try planned.plan(against: row, isDeleted: isDeleted, rights, now)
                }
            }
        }
    }

    /// Chooses the keys of new rows that name none.
    private mutating func chooseKeys(for places: [Int], of table: AttachedTable) throws {
        let open = places.filter { writes[$0].problem == nil && writes[$0].key == nil }
        guard !open.isEmpty else { return }
        let columns = table.description.primaryKey
        let type = columns.count == 1 ? table.description.columns[columns[0]].type : .text
        switch type {
        case .integer:
            let keys = try KeyNumbers(connection: connection).reserve(open.count, of: table)
            for (offset, place) in open.enumerated() {
                guard let number = keys.map({ $0.lowerBound + Int64(offset) }),
                    keys?.contains(number) == true
                else {
                    writes[place].problem = RowProblem(Refusal.noFreeKey(in: table.name))
                    continue
                }
                writes[place].key = table.description.key([.integer(number)])
            }
        case .uuid:
            for place in open { writes[place].key = table.description.key([.text(makeID())]) }
        default:
            for place in open {
                writes[place].problem = .keyMissing(
                    of: table.name, writes[place].write.table.keyNames)
            }
        }
    }

    /// A row is written once. What a second write would find, nobody could say.
    private mutating func refuseRepeated(_ places: [Int], of table: AttachedTable) {
        var seen: Set<RowKey> = []
        for place in places where writes[place].problem == nil {
            guard let key = writes[place].key, !seen.insert(key).inserted else { continue }
            writes[place].problem = .writtenTwice(in: table.name)
        }
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

    // MARK: Results

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
