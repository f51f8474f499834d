import GRDB
import MoorageCore

extension SimulatedDevice {
    /// The keys of rows with something in the log.
    func notedKeys(of table: String) throws -> [[Value]] {
        try write { db in
            let keys = try db.simulatedColumns(of: table).filter { $0.keyPosition > 0 }.count
            let list = (0..<keys).map { "k\($0)" }.joined(separator: ", ")
            return try db.rawRows("SELECT DISTINCT \(list) FROM \"_moorage_log_\(table)\"")
        }
    }

    func columns(of table: String) throws -> [SimulatedColumn] {
        try write { try $0.simulatedColumns(of: table) }
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

extension SimulatedCentre {
    func columns(of table: String) throws -> [SimulatedColumn] {
        try write { try $0.simulatedColumns(of: table) }
    }
}
