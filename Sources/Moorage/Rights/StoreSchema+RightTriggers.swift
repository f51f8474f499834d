import GRDB
import MoorageCore
import SQLiteSupport

/// The triggers that refuse what the user may not write, for the tables that the app lists with
/// them.
extension StoreSchema {
    /// Makes them as the rights are now, and removes those that the app does not want any more.
    ///
    /// - Parameter tracked: The tables that can be read now. Others have none meanwhile, because
    ///   theirs may be of an earlier user.
    func keepRightTriggers(of tracked: [TrackedTable]) throws {
        // A clone loads its rows first, and makes the triggers at its end.
        if try meta.isCloning() { return }
        let before = try meta.refusingTables()
        // A table that the app took out of its list is its own.
        let refusing = Set(
            configured.filter { $0.refusesForbidden ?? before.contains($0.id) }.map(\.id))
        if before.isEmpty, refusing.isEmpty { return }
        for table in before.subtracting(refusing) { try dropRightTriggers(of: table) }
        if refusing != before {
            let names = refusing.sorted().map(\.text)
            try meta.set(.refusingTables, names.isEmpty ? .null : .text(names.jsonText))
        }
        let answer = try meta.rights()
        for name in refusing.sorted() {
            var wanted: [(name: String, sql: String)] = []
            if let table = tracked.first(where: { $0.name == name }), let synced = try synced(table)
            {
                let rights = answer?.rights(on: synced.description)
                wanted = RightTriggers(synced, rights).definitions
            }
            if try hasExactly(wanted, of: name) { continue }
            try dropRightTriggers(of: name)
            for trigger in wanted { try db.execute(sql: trigger.sql) }
        }
    }

    private func hasExactly(
        _ wanted: [(name: String, sql: String)], of table: Identifier
    ) throws -> Bool {
        try RightTriggers.kinds.allSatisfy { kind in
            let name = RightTriggers.name(kind, table)
            let sql = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = ?"
            let found = try String.fetchOne(db, sql: sql, arguments: [name])
            let expected = wanted.first { $0.name.hasSameBytes(as: name) }?.sql
            guard let found, let expected else { return found == nil && expected == nil }
            return found.hasSameBytes(as: expected)
        }
    }

    private func dropRightTriggers(of table: Identifier) throws {
        try RightTriggers.drop(of: table, in: db)
    }
}

extension RightTriggers {
    static func drop(of table: Identifier, in db: Database) throws {
        for kind in kinds {
            try db.execute(sql: "DROP TRIGGER IF EXISTS \(SQLText.name(name(kind, table)))")
        }
    }

    /// The app's migrations write for the app, and not for its user. The next opening makes the
    /// triggers again.
    static func dropAll(in db: Database) throws {
        let meta = Metadata(db: db)
        guard try meta.exists() else { return }
        for table in try meta.refusingTables().sorted() { try drop(of: table, in: db) }
    }
}

extension Metadata {
    /// The tables that refuse what the user may not write.
    func refusingTables() throws -> Set<Identifier> {
        guard let text = try text(.refusingTables) else { return [] }
        return try damaged("refusingTables") {
            Set(try [String](jsonText: text).map { Identifier($0) })
        }
    }
}
