import MoorageCore

extension RightsAnswer {
    /// The rights as JSON, for the wire and for the replica's file.
    package func encoded() -> [UInt8] {
        JSONWriter.document { write(to: &$0) }
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(JSONReading(parsing: bytes))
    }

    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("version")
            $0.string(version)
            $0.name("tables")
            $0.array { for table in tables { table.write(to: &$0) } }
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        self.init(
            version: try reading.member("version").string(),
            tables: try reading.member("tables").map { (table) throws(HubError) in
                try TableRightsAnswer(table)
            })
    }
}

extension TableRightsAnswer {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("table")
            $0.string(table)
            $0.optional("insert", insert)
            $0.optional("update", update)
            $0.flag("delete", mayDelete)
            $0.flag("move", mayMove)
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        self.init(
            table: try reading.member("table").string(),
            insert: try reading.columns("insert"), update: try reading.columns("update"),
            mayDelete: try reading.flag("delete"), mayMove: try reading.flag("move"))
    }
}

extension JSONWriter {
    fileprivate mutating func optional(_ name: String, _ columns: WritableColumns?) {
        guard let columns else { return }
        self.name(name)
        switch columns {
        case .all: bool(true)
        case .only(let names): strings(names)
        }
    }
}

extension JSONReading {
    fileprivate func columns(_ name: String) throws(HubError) -> WritableColumns? {
        guard let member = optional(name) else { return nil }
        if case .bool(let isAll) = member.json { return isAll ? .all : nil }
        return .only(try member.strings())
    }
}
