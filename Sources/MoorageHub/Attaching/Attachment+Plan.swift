import MoorageCore
import MoorageWire

extension Attachment {
    struct Plan {
        struct Item {
            let table: AttachedTable
            let previous: AttachedTable?
            let needsRestamp: Bool
            /// The table's key is the column that an attach adds.
            let hasAddedKey: Bool
        }

        var attached: [Item] = []
        var removed: [AttachedTable] = []
        var unsupported: [SuspendedTable] = []
        /// Tables that are not synced any more and still have the column that an attach added.
        var leftKeys: [AttachedTable] = []
    }

    /// What earlier attaches left.
    struct Installed {
        var known: [AttachedTable] = []
        /// Tables of an attach that was broken off, by number and name alone.
        var begun: [AttachedTable] = []
        /// Tables to which an attach added a key, or began to, by number and name alone.
        var keyed: [AttachedTable] = []

        init() {}

        /// - Parameter known: The attached tables, where they have been read already.
        init(_ connection: any CentralConnection, known: [AttachedTable]? = nil) throws {
            let metadata = Metadata(connection: connection)
            self.known = try known ?? metadata.tables()
            begun = try metadata.begunTables()
            keyed = try metadata.tablesWithAddedKey()
        }

        var all: [AttachedTable] { known + begun + keyed }
    }

    /// - Parameter keyless: Tables to which to add a key.
    func makePlan(
        _ names: [String]?, _ installed: Installed, addingKeysTo keyless: [String] = []
    ) throws -> Plan {
        let read = try connection.readTables()
        let recorded = Set(installed.keyed.map { Identifier($0.name) })
        let choice = ChosenKeys(
            configured: keys, known: installed.known,
            added: recorded.union(keyless.map { Identifier($0) }))
        for name in keyless {
            try choice.checkAdding(to: name, among: read, recorded: recorded)
            guard names?.contains(where: { $0.hasSameBytes(as: name) }) ?? true else {
                throw HubError.addedKeyOfUnsyncedTable(name)
            }
        }
        let central = try read.map { try choice.keyed($0) }
        var plan = Plan()
        var chosen: [TableDescription] = []
        if let names {
            for name in names {
                guard let found = central.first(where: { $0.name.hasSameBytes(as: name) }) else {
                    throw HubError.noSuchTable(name)
                }
                switch found.supportOnDevices {
                case .supported(let table): chosen.append(table)
                case .unsupported(let reason): throw HubError.tableUnsupported(reason)
                }
            }
        } else {
            for table in central {
                switch table.supportOnDevices {
                case .supported(let description): chosen.append(description)
                case .unsupported(let reason):
                    plan.unsupported.append(SuspendedTable(name: table.name, reason: reason))
                }
            }
        }
        // A foreign key to a table that is not synced applies only in the central database: devices
        // do not have the parent.
        let closed = chosen.map { table in
            table.holding(
                table.foreignKeys.filter { foreign in
                    chosen.contains { $0.name.hasSameBytes(as: foreign.referencedTable) }
                })
        }
        try scopes.check(tables: closed.map(\.name))
        let resolution = ScopeResolution(settings: scopes, tables: closed, central: central)
        for table in closed { _ = try resolution.closed(table) }
        var next = (installed.all.map(\.number).max() ?? 0) + 1
        for table in SchemaDescription(tables: closed).tables {
            let previous = installed.known.first { $0.name.hasSameBytes(as: table.name) }
            let reserved = (installed.begun + installed.keyed)
                .first { $0.name.hasSameBytes(as: table.name) }?.number
            let number = previous?.number ?? reserved ?? next
            if number == next { next += 1 }
            plan.attached.append(
                Plan.Item(
                    table: AttachedTable(
                        number: number, description: table, scopes: try resolution.paths(of: table)),
                    previous: previous,
                    needsRestamp: try previous.map {
                        try needsRestamp($0, as: table, in: read)
                    } ?? false,
                    hasAddedKey: choice.added.contains(Identifier(table.name))
                        && table.keyNames.areSameColumns(as: [KeylessTable.addedKey])))
        }
        plan.removed = (installed.known + installed.begun).filter { table in
            !chosen.contains { $0.name.hasSameBytes(as: table.name) }
        }
        plan.leftKeys = installed.keyed.filter { table in
            !plan.attached.contains { $0.table.number == table.number }
        }
        return plan
    }

    /// Whether every replica must read a table again: it was suspended, or its tracking rows have
    /// the values of another key.
    private func needsRestamp(
        _ previous: AttachedTable, as table: TableDescription, in central: [CentralTable]
    ) throws -> Bool {
        let isSameKey = table.keyNames.elementsEqual(previous.description.keyNames) {
            $0.hasSameBytes(as: $1)
        }
        if !isSameKey { return true }
        return try AttachedSchema.problem(of: previous.description, in: central) != nil
            || TrackingCheck(connection: connection).rewriting(of: previous) != nil
    }
}
