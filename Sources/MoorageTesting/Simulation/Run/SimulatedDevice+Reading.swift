import GRDB
import MoorageCore

extension SimulatedDevice {
    /// The keys of rows with something in the log.
    func notedKeys(of table: String) throws -> [[Value]] {
        try write { db in
            let keys = columns[table]?.filter { $0.keyPosition > 0 }.count ?? 1
            let list = (0..<keys).map { "k\($0)" }.joined(separator: ", ")
            return try db.rawRows("SELECT DISTINCT \(list) FROM \"_moorage_log_\(table)\"")
        }
    }

    /// The columns on both sides, the key's first.
    func sharedColumns(of table: String, with centre: SimulatedCentre) -> [SimulatedColumn] {
        let theirs = centre.columns[table] ?? []
        let shared = (columns[table] ?? []).filter { column in
            theirs.contains { $0.name == column.name }
        }
        let keys = shared.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
        return keys + shared.filter { $0.keyPosition == 0 }
    }

    /// The app drops the triggers of a table, as a careless migration does.
    func dropTriggers(of table: String) throws {
        try write { db in
            for case .text(let name) in try db.rawRows(
                """
                SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '\(table)' \
                AND name LIKE '\\_moorage\\_%' ESCAPE '\\'
                """
            ).joined() {
                try db.execute(sql: "DROP TRIGGER \"\(name)\"")
            }
        }
    }
}
