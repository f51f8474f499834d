import GRDB
import MoorageCore
import MoorageWire

extension SimulatedDevice {
    /// Every recognizable text in the synced columns. A table that the hub does not have yet, or
    /// not any more, waits whole.
    ///
    /// - Parameter exceptUnread: Leaves out columns that are synced since their table was last
    ///   read.
    func texts(
        syncedWith centre: SimulatedCentre, exceptUnread: Bool = false
    ) throws -> Set<String> {
        try write { db in
            var texts: Set<String> = []
            for table in tables {
                let unread = exceptUnread ? try Self.unreadColumns(of: table, db) : []
                let isAtHub = centre.attachedColumns[table] != nil
                let synced = isAtHub ? sharedColumns(of: table, with: centre) : columns[table] ?? []
                let columns =
                    synced
                    .filter { !unread.contains($0.name) }.map { "\"\($0.name)\"" }
                if columns.isEmpty { continue }
                let sql = "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\""
                for row in try db.rawRows(sql) {
                    for case .text(let text) in row where Ledger.isToken(text) {
                        texts.insert(text)
                    }
                }
            }
            return texts
        }
    }

    private static func unreadColumns(of table: String, _ db: Database) throws -> [String] {
        try columns("unread", of: table, db)
    }

    /// A list of columns in the replica's record of a table.
    private static func columns(
        _ list: String, of table: String, _ db: Database
    ) throws -> [String] {
        let name = Value.text(table).literal
        let rows = try db.rawRows(
            "SELECT \(list) FROM _moorage_table WHERE name = \(name) AND \(list) IS NOT NULL")
        guard case .text(let json)? = rows.first?.first else { return [] }
        return try [Value](jsonText: json).compactMap(CentralAudit.text)
    }

    /// The columns that pages bring, as far as the file knows, and that were read.
    func readColumns(of table: String) throws -> Set<String> {
        try write { db in
            Set(try Self.columns("columns", of: table, db))
                .subtracting(try Self.unreadColumns(of: table, db))
        }
    }

    /// Every recognizable text in some tables.
    func texts(in tables: Set<String>) throws -> Set<String> {
        var texts: Set<String> = []
        for table in tables {
            texts.formUnion(try self.texts(in: (columns[table] ?? []).map(\.name), of: table))
        }
        return texts
    }

    /// Every recognizable text in some columns of a table.
    func texts(in columns: [String], of table: String) throws -> Set<String> {
        if columns.isEmpty { return [] }
        let list = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let rows = try write { try $0.rawRows("SELECT \(list) FROM \"\(table)\"") }
        return Set(rows.joined().compactMap(CentralAudit.text).filter(Ledger.isToken))
    }

    /// Every recognizable text in columns that the hub has under the same name or an earlier one.
    func textsAhead(of centre: SimulatedCentre, _ names: ColumnNames) throws -> Set<String> {
        var texts: Set<String> = []
        for table in tables {
            let theirs = (centre.attachedColumns[table] ?? []).map {
                names.origin(of: $0, in: table)
            }
            let ahead = (columns[table] ?? []).map(\.name).filter { name in
                let mine = names.origin(of: name, in: table)
                return theirs.contains { $0.name == mine.name && $0.age <= mine.age }
            }
            texts.formUnion(try self.texts(in: ahead, of: table))
        }
        return texts
    }

    /// How many rows have a text in a synced column.
    func rowCount(of text: String, syncedWith centre: SimulatedCentre) throws -> Int {
        try write { db in
            try tables.reduce(0) { count, table in
                let holds = sharedColumns(of: table, with: centre).map {
                    "\"\($0.name)\" IS \(Value.text(text).literal)"
                }
                if holds.isEmpty { return count }
                let sql = "SELECT 1 FROM \"\(table)\" WHERE \(holds.joined(separator: " OR "))"
                return try count + db.rawRows(sql).count
            }
        }
    }

    /// Every text in the list of refused changes.
    func refusedTexts() throws -> Set<String> {
        let rows = try write {
            try $0.rawRows(
                "SELECT coalesce(before, '[]'), coalesce(after, '[]') FROM _moorage_refused")
        }
        var texts: Set<String> = []
        for case .text(let json) in rows.joined() {
            for case .text(let text) in try [Value](jsonText: json) { texts.insert(text) }
        }
        return texts
    }
}

extension SimulatedCentre {
    /// Every text that the central database ever contained or logged. It is in lower case, because
    /// triggers may write it so.
    func texts() throws -> Set<String> {
        try write { db in
            var texts: Set<String> = []
            for case .text(let text) in try db.rawRows(
                "SELECT val FROM sim_audit WHERE val IS NOT NULL"
            ).joined() {
                texts.insert(text.lowercased())
            }
            for case .text(let json) in try db.rawRows(
                "SELECT base, mine, theirs FROM moorage_conflict"
            )
            .joined() {
                guard case .object(let members) = try JSON(parsing: json) else { continue }
                for member in members {
                    if case .string(let text) = member.value { texts.insert(text.lowercased()) }
                }
            }
            return texts
        }
    }
}
