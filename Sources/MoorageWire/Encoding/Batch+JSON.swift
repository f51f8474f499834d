package import MoorageCore

extension Batch {
    /// The batch as JSON.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            writeHead(to: &$0)
            $0.name("changes")
            $0.array {
                for change in changes {
                    change.write(to: &$0, tables: tables)
                }
            }
        }
        return writer.bytes
    }

    /// Writes the members except the changes.
    func writeHead(to writer: inout JSONWriter) {
        writer.name("number")
        writer.integer(number)
        writer.name("nonce")
        writer.string(nonce)
        writer.name("preparedAt")
        writer.integer(preparedAt.milliseconds)
        writer.name("tables")
        writer.tables(tables)
    }

    /// Reads a batch in blocks, or in JSON.
    package init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(decoding: bytes, memory: DecodingMemory())
    }

    /// Reads a batch that this side wrote itself, with the limit of ``DecodingMemory/ofOwn``.
    package init(stored bytes: [UInt8]) throws(HubError) {
        try self.init(decoding: bytes, memory: .ofOwn)
    }

    init(decoding bytes: [UInt8], memory: DecodingMemory) throws(HubError) {
        guard bytes.first == Self.batchTag else {
            try self.init(JSONReading(parsing: bytes, memory: memory))
            return
        }
        var reader = ByteReader(bytes, memory: memory)
        try self.init(&reader)
        guard reader.isAtEnd else { throw ByteReader.error("it goes on behind its end") }
    }

    init(_ reading: JSONReading) throws(HubError) {
        let tables = try reading.member("tables").tables()
        let changes = try reading.member("changes").map { (change) throws(HubError) in
            try Change(change, tables: tables)
        }
        self.init(
            number: try reading.batchNumber(), nonce: try reading.nonce(),
            preparedAt: try reading.member("preparedAt").time(),
            tables: tables, changes: changes)
    }
}

extension JSONReading {
    func batchNumber() throws(HubError) -> Int64 {
        let number = try member("number").int64()
        guard number >= 1 else { throw error("a batch is numbered from 1") }
        return number
    }

    func nonce() throws(HubError) -> String {
        let nonce = try member("nonce").string()
        guard (1...64).contains(nonce.utf8.count) else { throw error("no nonce") }
        return nonce
    }
}

extension Change {
    /// `{"table": 0, "key": [...], "at": …, "insert": [...]}`; an update is `[[column, old, new],
    /// …]`, and `fills` names those of its columns that are fills.
    fileprivate func write(to writer: inout JSONWriter, tables: [TableColumns]) {
        writer.object {
            $0.name("table")
            let position = tables.firstIndex { $0.name.hasSameBytes(as: table) }
            $0.integer(Int64(position ?? tables.count))
            $0.name("key")
            key.write(to: &$0)
            $0.name("at")
            $0.integer(editedAt.milliseconds)
            $0.flag("again", isAgain)
            if let group {
                $0.name("group")
                $0.integer(Int64(group))
            }
            switch operation {
            case .insert(let row):
                $0.name("insert")
                $0.values(row)
            case .update(let edits):
                $0.name("update")
                $0.array {
                    for edit in edits {
                        $0.array {
                            $0.integer(Int64(edit.column))
                            edit.old.write(to: &$0)
                            edit.new.write(to: &$0)
                        }
                    }
                }
                if hasFills {
                    $0.name("fills")
                    $0.array { for fill in fills { $0.integer(Int64(fill.column)) } }
                }
            case .delete(let before):
                $0.name("delete")
                $0.values(before)
            case .refetch:
                $0.name("refetch")
                $0.bool(true)
            }
        }
    }

    fileprivate init(_ reading: JSONReading, tables: [TableColumns]) throws(HubError) {
        let position = try reading.member("table").count()
        guard tables.indices.contains(position) else { throw reading.error("no such table") }
        let table = tables[position]
        self.init(
            table: table.name, key: try RowKey(reading.member("key")),
            operation: try Self.operation(reading, columns: table.columns.count),
            editedAt: try reading.member("at").time(),
            isAgain: try reading.flag("again"),
            group: try reading.optional("group")?.count())
    }

    private static func operation(
        _ reading: JSONReading, columns: Int
    ) throws(HubError) -> Operation {
        func row(_ member: JSONReading) throws(HubError) -> [Value] {
            let values = try member.values()
            guard values.count == columns else { throw member.error("one value for each column") }
            return values
        }
        if let fills = reading.optional("fills"), reading.optional("update") == nil {
            throw fills.error("only an update has fills")
        }
        switch (
            reading.optional("insert"), reading.optional("update"), reading.optional("delete"),
            reading.optional("refetch")
        ) {
        case (let insert?, nil, nil, nil): return .insert(try row(insert))
        case (nil, let update?, nil, nil):
            var seen: Set<Int> = []
            let edits: [ColumnEdit] = try update.map { (edit) throws(HubError) in
                let parts = try edit.array()
                guard parts.count == 3 else { throw edit.error("column, old and new value") }
                let column = try parts[0].count()
                guard column < columns, seen.insert(column).inserted else {
                    throw edit.error("no such column, or twice")
                }
                return ColumnEdit(
                    column: column, old: try Value(parts[1]), new: try Value(parts[2]))
            }
            guard let fills = reading.optional("fills") else { return .update(edits) }
            return .update(try filled(edits, fills))
        case (nil, nil, let delete?, nil): return .delete(before: try row(delete))
        case (nil, nil, nil, _?): return .refetch
        default: throw reading.error("exactly one of insert, update, delete, refetch")
        }
    }

    /// The edits, those of the columns in `fills` as fills.
    private static func filled(
        _ edits: [ColumnEdit], _ fills: JSONReading
    ) throws(HubError) -> [ColumnEdit] {
        var columns = Set(edits.map(\.column))
        for fill in try fills.array() {
            let column = try fill.count()
            guard columns.remove(column) != nil else {
                throw fill.error("no column of the update, or twice")
            }
        }
        return edits.map {
            ColumnEdit(
                column: $0.column, old: $0.old, new: $0.new, isFill: !columns.contains($0.column))
        }
    }
}

extension TableColumns {
    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("name")
            $0.string(name)
            $0.name("columns")
            $0.strings(columns)
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        self.init(
            name: try reading.member("name").string(),
            columns: try reading.member("columns").names())
    }
}

extension JSONReading {
    /// Tables, each named once, so that a change means exactly one of them.
    func tables() throws(HubError) -> [TableColumns] {
        let tables = try map { (table) throws(HubError) in try TableColumns(table) }
        guard Set(tables.map { Value.text($0.name) }).count == tables.count else {
            throw error("two tables of one name")
        }
        return tables
    }

    /// Names of columns, each once; compared by bytes.
    func names() throws(HubError) -> [String] {
        let names = try strings()
        guard Set(names.map { Value.text($0) }).count == names.count else {
            throw error("two columns of one name")
        }
        return names
    }
}

extension JSONWriter {
    mutating func tables(_ tables: [TableColumns]) {
        array { for table in tables { table.write(to: &$0) } }
    }
}
