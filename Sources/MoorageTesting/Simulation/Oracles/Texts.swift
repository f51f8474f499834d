import GRDB
import MoorageCore
import MoorageWire

extension SimulatedDevice {
    /// Every recognizable text in the synced columns.
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
                let columns = sharedColumns(of: table, with: centre)
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
        let name = Value.text(table).literal
        let rows = try db.rawRows(
            "SELECT unread FROM _moorage_table WHERE name = \(name) AND unread IS NOT NULL")
        guard case .text(let json)? = rows.first?.first else { return [] }
        return try [Value](jsonText: json).compactMap(CentralAudit.text)
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
