/// All tables that a hub syncs.
package struct SchemaDescription: Hashable, Sendable {
    /// In foreign-key order: a table comes after the tables it refers to, except in cycles.
    package let tables: [TableDescription]
    /// Groups of positions in `tables` that refer to each other. Each group has two tables or more.
    package let cycles: [[Int]]
    /// Equal exactly when the tables are equal, as the hub describes them.
    package let version: String

    package init(tables: [TableDescription]) {
        let order = ForeignKeyOrder(tables)
        let sorted = order.groups.flatMap { $0 }.map { tables[$0] }
        var cycles: [[Int]] = []
        var position = 0
        for group in order.groups {
            if group.count > 1 { cycles.append(Array(position..<(position + group.count))) }
            position += group.count
        }
        self.tables = sorted
        self.cycles = cycles
        version = Self.version(of: sorted)
    }

    /// The same schema with another description of each table, in the same order.
    ///
    /// The version stays, because a hub compares the version with its own.
    func describing(_ tables: [TableDescription]) -> SchemaDescription {
        SchemaDescription(tables: tables, cycles: cycles, version: version)
    }

    private init(tables: [TableDescription], cycles: [[Int]], version: String) {
        self.tables = tables
        self.cycles = cycles
        self.version = version
    }

    package func table(named name: String) -> TableDescription? {
        position(of: name).map { tables[$0] }
    }

    /// The position of a table in foreign-key order.
    package func position(of name: String) -> Int? {
        tables.firstIndex { $0.name.hasSameBytes(as: name) }
    }

    private static func version(of tables: [TableDescription]) -> String {
        var fingerprint = Fingerprint()
        for table in tables {
            fingerprint.add(table.signature.utf8)
            fingerprint.add(UInt64(table.uniqueKeys.count))
            fingerprint.add(UInt64(table.foreignKeys.count))
            // A schema without directions keeps the version that it always had.
            if table.direction != .both { fingerprint.add(table.direction.rawValue.utf8) }
            if table.granularity != .column { fingerprint.add(table.granularity.rawValue.utf8) }
            if let block = table.keyBlock { fingerprint.add(UInt64(clamping: block)) }
            table.appNames.add(to: &fingerprint, marker: 3)
            for column in table.columns {
                column.appNames.add(to: &fingerprint, marker: 4)
                fingerprint.add(UInt8(column.isNullable ? 1 : 0))
                fingerprint.add(UInt8(column.isGenerated ? 1 : 0))
                switch column.defaultValue {
                case .none: fingerprint.add(UInt8(0))
                case .central: fingerprint.add(UInt8(1))
                case .value(let value):
                    fingerprint.add(UInt8(2))
                    fingerprint.add(value)
                }
            }
            for key in table.uniqueKeys {
                fingerprint.add(UInt64(key.count))
                for column in key { fingerprint.add(UInt64(column)) }
            }
            for foreign in table.foreignKeys {
                fingerprint.add(UInt64(foreign.columns.count))
                for column in foreign.columns { fingerprint.add(UInt64(column)) }
                fingerprint.add(foreign.referencedTable.utf8)
                for name in foreign.referencedColumns { fingerprint.add(name.utf8) }
                fingerprint.add(foreign.onDelete.rawValue.utf8)
                fingerprint.add(foreign.onUpdate.rawValue.utf8)
                fingerprint.add(UInt8(foreign.isDeferrable ? 1 : 0))
            }
        }
        return fingerprint.hex
    }
}
