package import MoorageCore

extension SchemaDescription {
    /// The schema as JSON, for the wire and for the tables of hub and replica.
    package func encoded() -> [UInt8] {
        JSONWriter.document { write(to: &$0) }
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(JSONReading(parsing: bytes))
    }

    /// - Parameter details: What an answer to tools adds to the tables.
    func write(
        to writer: inout JSONWriter, with details: [Identifier: TableDetails] = [:]
    ) {
        writer.array {
            for table in tables { table.write(to: &$0, with: details[Identifier(table.name)]) }
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        let tables = try reading.map { (table) throws(HubError) in try TableDescription(table) }
        guard Set(tables.map { Value.text($0.name) }).count == tables.count else {
            throw reading.error("two tables of one name")
        }
        self.init(tables: tables)
    }
}

extension TableDescription {
    fileprivate func write(to writer: inout JSONWriter, with details: TableDetails?) {
        writer.object {
            $0.name("name")
            $0.string(name)
            $0.name("columns")
            $0.array {
                for (position, column) in columns.enumerated() {
                    column.write(to: &$0, with: details?.columns[position])
                }
            }
            $0.name("key")
            $0.positions(primaryKey)
            $0.name("unique")
            $0.array { for key in uniqueKeys { $0.positions(key) } }
            $0.name("foreign")
            $0.array { for foreign in foreignKeys { foreign.write(to: &$0) } }
            if direction != .both {
                $0.name("direction")
                $0.string(direction.rawValue)
            }
            if granularity != .column {
                $0.name("granularity")
                $0.string(granularity.rawValue)
            }
            if let keyBlock {
                $0.name("keyBlock")
                $0.integer(Int64(keyBlock))
            }
            appNames.write(to: &$0)
            details?.write(to: &$0)
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        let columns = try reading.member("columns").map { (column) throws(HubError) in
            try ColumnDescription(column)
        }
        guard Set(columns.map { Value.text($0.name) }).count == columns.count else {
            throw reading.error("two columns of one name")
        }
        let key = try reading.member("key").positions(below: columns.count)
        guard !key.isEmpty else { throw reading.error("a table without a key") }
        self.init(
            name: try reading.member("name").string(), columns: columns, primaryKey: key,
            uniqueKeys: try reading.member("unique").map { (unique) throws(HubError) in
                try unique.positions(below: columns.count)
            },
            foreignKeys: try reading.member("foreign").map { (foreign) throws(HubError) in
                try ForeignKey(foreign, columns: columns.count)
            }, direction: try reading.optional("direction")?.choice() ?? .both,
            granularity: try reading.optional("granularity")?.choice() ?? .column,
            keyBlock: try reading.optional("keyBlock")?.count())
        appNames = try AppNames(reading)
    }
}

extension ColumnDescription {
    fileprivate func write(to writer: inout JSONWriter, with details: ColumnDetails?) {
        writer.object {
            $0.name("name")
            $0.string(name)
            $0.name("type")
            $0.string(type.name)
            $0.flag("notNull", !isNullable)
            $0.flag("generated", isGenerated)
            switch defaultValue {
            case .none: break
            case .central: $0.flag("centralDefault", true)
            case .value(let value):
                $0.name("default")
                $0.array { value.write(to: &$0) }
            }
            appNames.write(to: &$0)
            details?.write(to: &$0)
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        guard let type = ColumnType(name: try reading.member("type").string()) else {
            throw reading.error(
                "a column type that is not known; update the older of hub and replica")
        }
        var defaultValue = ColumnDefault.none
        if let member = reading.optional("default") {
            let values = try member.values()
            guard values.count == 1 else { throw member.error("one value") }
            defaultValue = .value(values[0])
        } else if try reading.flag("centralDefault") {
            defaultValue = .central
        }
        self.init(
            name: try reading.member("name").string(), type: type,
            isNullable: try !reading.flag("notNull"), defaultValue: defaultValue,
            isGenerated: try reading.flag("generated"))
        appNames = try AppNames(reading)
    }
}

extension AppNames {
    fileprivate func write(to writer: inout JSONWriter) {
        if let name {
            writer.name("deviceName")
            writer.string(name)
        }
        if !renamedFrom.isEmpty {
            writer.name("aliases")
            writer.strings(renamedFrom)
        }
    }

    /// - Parameter reading: The description of a table or column.
    fileprivate init(_ reading: JSONReading) throws(HubError) {
        self.init(
            name: try reading.optional("deviceName")?.string(),
            renamedFrom: try reading.optional("aliases")?.names() ?? [])
    }
}

extension ForeignKey {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("columns")
            $0.positions(columns)
            $0.name("table")
            $0.string(referencedTable)
            $0.name("references")
            $0.strings(referencedColumns)
            $0.name("onDelete")
            $0.string(onDelete.rawValue)
            $0.name("onUpdate")
            $0.string(onUpdate.rawValue)
            $0.name("deferrable")
            $0.bool(isDeferrable)
        }
    }

    fileprivate init(_ reading: JSONReading, columns count: Int) throws(HubError) {
        func action(_ name: String) throws(HubError) -> Action {
            guard let action = Action(rawValue: try reading.member(name).string()) else {
                throw reading.error("no action")
            }
            return action
        }
        let columns = try reading.member("columns").positions(below: count)
        let references = try reading.member("references").strings()
        guard !columns.isEmpty, columns.count == references.count else {
            throw reading.error("as many columns as referenced ones")
        }
        self.init(
            columns: columns, referencedTable: try reading.member("table").string(),
            referencedColumns: references, onDelete: try action("onDelete"),
            onUpdate: try action("onUpdate"), isDeferrable: try reading.member("deferrable").bool())
    }
}

extension SchemaAnswer {
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.name("hub")
            $0.string(hub)
            $0.name("version")
            $0.string(schema.version)
            $0.name("tables")
            schema.write(to: &$0, with: details)
            $0.name("suspended")
            $0.suspended(suspended)
        }
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        let reading = try JSONReading(parsing: bytes)
        let tables = try reading.member("tables")
        self.init(
            hub: try reading.member("hub").string(), schema: try SchemaDescription(tables),
            suspended: try reading.member("suspended").suspended(),
            details: try tables.tableDetails())
    }
}

extension JSONWriter {
    mutating func positions(_ positions: [Int]) {
        array { for position in positions { $0.integer(Int64(position)) } }
    }

    mutating func suspended(_ tables: [SuspendedTable]) {
        array {
            for table in tables {
                $0.object {
                    $0.name("name")
                    $0.string(table.name)
                    $0.name("reason")
                    $0.string(table.reason)
                    if table.code != .tableSuspended {
                        $0.name("code")
                        $0.string(table.code.rawValue)
                    }
                }
            }
        }
    }
}

extension JSONReading {
    fileprivate func choice<Choice: RawRepresentable<String>>() throws(HubError) -> Choice {
        guard let known = Choice(rawValue: try string()) else {
            throw error("a word that is not known; update the older of hub and replica")
        }
        return known
    }

    /// What the elements, which are tables, add to a schema for tools.
    func tableDetails() throws(HubError) -> [Identifier: TableDetails] {
        var details: [Identifier: TableDetails] = [:]
        for table in try array() {
            details[Identifier(try table.member("name").string())] = try TableDetails(table)
        }
        return details
    }

    func positions(below count: Int) throws(HubError) -> [Int] {
        let positions = try map { (element) throws(HubError) in try element.count() }
        guard positions.allSatisfy({ $0 < count }), Set(positions).count == positions.count else {
            throw error("no such column, or twice")
        }
        return positions
    }

    func suspended() throws(HubError) -> [SuspendedTable] {
        try map { (element) throws(HubError) in
            let code = try element.optional("code")?.string()
            return SuspendedTable(
                name: try element.member("name").string(),
                reason: try element.member("reason").string(),
                code: code.map { HubError.Code(rawValue: $0) } ?? .tableSuspended)
        }
    }
}
