import GRDB
import MoorageCore

/// What the central database ever contained. Triggers of the harness record every written text and
/// every deleted row.
enum CentralAudit {
    static let table = """
        CREATE TABLE sim_audit(
          number INTEGER PRIMARY KEY, tbl TEXT NOT NULL, key TEXT NOT NULL, col TEXT, val TEXT,
          op TEXT NOT NULL)
        """

    /// Makes the triggers for tables as they are now.
    static func watch(_ tables: [String], _ db: Database) throws {
        for table in tables {
            let columns = try db.rawRows("SELECT name, type, pk FROM pragma_table_info('\(table)')")
            let names = columns.compactMap { Self.text($0[0]) }
            let keys = columns.filter { $0[2] != .integer(0) }.compactMap { Self.text($0[0]) }
            func key(_ row: String) -> String {
                keys.map { "quote(\(row).\"\($0)\")" }.joined(separator: " || '/' || ")
            }
            let texts = names.filter { name in
                columns.contains { $0[0] == .text(name) && $0[1] == .text("TEXT") }
            }
            let inserts = texts.map {
                """
                INSERT INTO sim_audit(tbl, key, col, val, op) \
                VALUES('\(table)', \(key("NEW")), '\($0)', NEW."\($0)", 'I');
                """
            }
            let updates = texts.map {
                """
                INSERT INTO sim_audit(tbl, key, col, val, op) SELECT '\(table)', \(key("NEW")), \
                '\($0)', NEW."\($0)", 'U' WHERE NEW."\($0)" IS NOT OLD."\($0)";
                """
            }
            let delete = """
                INSERT INTO sim_audit(tbl, key, op) VALUES('\(table)', \(key("OLD")), 'D');
                """
            for (event, body) in [
                ("INSERT", inserts), ("UPDATE", updates), ("DELETE", [delete]),
            ] where !body.isEmpty {
                try db.execute(
                    sql: """
                        DROP TRIGGER IF EXISTS "sim_\(event)_\(table)";
                        CREATE TRIGGER "sim_\(event)_\(table)" AFTER \(event) ON "\(table)" BEGIN \
                        \(body.joined(separator: " ")) END
                        """)
            }
        }
    }

    /// Drops the triggers.
    static func ignore(_ tables: [String], _ db: Database) throws {
        for table in tables {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                try db.execute(sql: "DROP TRIGGER IF EXISTS \"sim_\(event)_\(table)\"")
            }
        }
    }

    static func text(_ value: Value) -> String? {
        if case .text(let text) = value { text } else { nil }
    }
}
