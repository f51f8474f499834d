import MoorageCore

/// The changes that go in one request: those of a row, and of its children.
struct PushUnit: Sendable {
    let model: Int
    /// The key of the row, as the device has it.
    let key: RowKey
    var root: PushedChange?
    var children: [PushedChange] = []

    var changes: [PushedChange] { (root.map { [$0] } ?? []) + children }

    /// Equal for the same changes.
    var fingerprint: String {
        var fingerprint = Fingerprint()
        for change in changes { change.add(to: &fingerprint) }
        return fingerprint.hex
    }

    /// The rows that it changes.
    func names(in schema: RESTSchema) -> [RowName] {
        changes.map { RowName(table: schema.table(at: $0.place).name, key: $0.key) }
    }

    /// The rows that it refers to, but for the row that its elements are part of.
    func references(in schema: RESTSchema) -> [RowName] {
        let own = RowName(table: schema.models[model].table.name, key: key)
        return changes.flatMap { change -> [RowName] in
            guard !change.isDelete, let values = change.values else { return [] }
            return schema.table(at: change.place).description.referredKeys(of: values, in: schema)
                .filter { change.place.child == nil || $0 != own }
        }
    }

    var isAgain: Bool { changes.contains(where: \.isAgain) }
}

/// A batch as units, in the order in which they are sent.
struct PushUnits: Sendable {
    private(set) var units: [PushUnit] = []
    /// Changes of children whose parent is unknown.
    private(set) var orphans: [PushedChange] = []

    /// - Parameter parent: The parent of a child, as the device last heard of it.
    init(
        _ changes: [PushedChange], _ schema: RESTSchema,
        parent: (RESTSchema.Place, RowKey) -> RowKey?
    ) {
        var places: [RowName: Int] = [:]
        for change in changes {
            let model = schema.models[change.place.model]
            let key: RowKey
            if let child = change.place.child {
                let known = change.valuesBefore.flatMap {
                    model.children[child].parent(of: $0, in: model.table)
                }
                guard let found = known ?? parent(change.place, change.key) else {
                    orphans.append(change)
                    continue
                }
                key = found
            } else {
                key = change.key
            }
            let name = RowName(table: model.table.name, key: key)
            let place = places[name] ?? units.count
            if place == units.count {
                places[name] = place
                units.append(PushUnit(model: change.place.model, key: key))
            }
            if change.place.child == nil {
                units[place].root = change
            } else {
                units[place].children.append(change)
            }
        }
        sort(schema)
    }

    /// Puts each unit behind those whose new rows it refers to. Deletes stay in their order, which
    /// is children first.
    private mutating func sort(_ schema: RESTSchema) {
        var makers: [RowName: Int] = [:]
        for (number, unit) in units.enumerated() {
            for change in unit.changes where change.isInsert {
                let table = schema.table(at: change.place)
                makers[RowName(table: table.name, key: change.key)] = number
            }
        }
        var order: [Int] = []
        var visited: Set<Int> = []
        var open: [(unit: Int, needs: [Int])] = []
        for first in units.indices where !visited.contains(first) {
            visited.insert(first)
            open.append((first, Self.needs(units[first], schema, makers)))
            // Without recursion: a chain of rows may be as long as the batch.
            while let last = open.last {
                guard let next = last.needs.last else {
                    order.append(last.unit)
                    open.removeLast()
                    continue
                }
                open[open.count - 1].needs.removeLast()
                if visited.insert(next).inserted {
                    open.append((next, Self.needs(units[next], schema, makers)))
                }
            }
        }
        units = order.map { units[$0] }
    }

    private static func needs(
        _ unit: PushUnit, _ schema: RESTSchema, _ makers: [RowName: Int]
    ) -> [Int] {
        unit.changes.flatMap { change -> [Int] in
            guard !change.isDelete, let values = change.values else { return [] }
            return schema.table(at: change.place).description.referredKeys(of: values, in: schema)
                .compactMap { makers[$0] }
        }
    }
}

extension TableDescription {
    /// The rows that a row's foreign keys name, as far as they refer to primary keys.
    func referredKeys(of values: RowValues, in schema: RESTSchema) -> [RowName] {
        foreignKeys.compactMap { foreign in
            guard let parent = schema.description.table(named: foreign.referencedTable),
                foreign.positions(in: parent) == parent.primaryKey
            else { return nil }
            let key = foreign.columns.compactMap { values[$0] }
            guard key.count == foreign.columns.count, !key.contains(where: \.isNull) else {
                return nil
            }
            return RowName(table: parent.name, key: parent.key(key))
        }
    }

    /// A row that refers to the new keys of rows that got others.
    func redirected(
        _ values: RowValues, _ rekeyed: [RowName: RowKey], in schema: RESTSchema
    ) -> RowValues {
        if rekeyed.isEmpty { return values }
        var values = values
        for foreign in foreignKeys {
            guard let parent = schema.description.table(named: foreign.referencedTable),
                foreign.positions(in: parent) == parent.primaryKey
            else { continue }
            let key = foreign.columns.compactMap { values[$0] }
            guard key.count == foreign.columns.count,
                let new = rekeyed[RowName(table: parent.name, key: parent.key(key))]
            else { continue }
            for (column, value) in zip(foreign.columns, new.values) { values[column] = value }
        }
        return values
    }
}
