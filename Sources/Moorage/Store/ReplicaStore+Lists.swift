import GRDB
public import MoorageCore
import MoorageWire

/// A row that holds a value which this device, or any, cannot hold; the device keeps what it had.
public struct WithheldNotice: Hashable, Sendable {
    public let table: String
    public let key: Key
    public let column: String
    public let reason: String
}

/// What the file says of the replica's state.
struct StoreCounts: Hashable, Sendable {
    var pending = 0
    var refused = 0
    var overruled = 0
    var withheld = 0
    var waiting = 0
    var lastCaughtUp: Int64?
    var rowsDone: Int?
    var rowsExpected: Int?
    var stopped: [StoppedReplicaTable] = []
}

extension ReplicaStore {
    func counts(_ db: Database) throws -> StoreCounts {
        let meta = Metadata(db: db)
        let tables = try load(db)
        var counts = StoreCounts()
        let statements = RawStatements(db, kept: kept)
        func count(_ sql: String) throws -> Int { Int(try statements(sql).firstInteger() ?? 0) }
        for table in tables.tracked {
            let keys = table.keyColumns.joined(separator: ", ")
            let isRow = zip(table.keyNames, table.keyColumns).map { name, key -> String in
                let name = "t.\(SQLText.name(name))"
                return "\(name) = l.\(key) AND \(name) COLLATE BINARY = l.\(key)"
            }.joined(separator: " AND ")
            // A candidate that is gone was replaced: a deletion like any other.
            counts.pending += try count(
                """
                SELECT count(*) FROM (
                  SELECT DISTINCT \(keys) FROM \(SQLText.name(table.logTable)) AS l
                  WHERE op <> 'C' OR NOT EXISTS (
                    SELECT 1 FROM \(SQLText.name(table.local.name)) AS t WHERE \(isRow)))
                """)
        }
        counts.pending += try meta.inFlight()?.batch.changes.count ?? 0
        counts.refused = try count("SELECT count(*) FROM _moorage_refused")
        counts.overruled = try count("SELECT count(*) FROM _moorage_overruled")
        counts.withheld = try count("SELECT count(*) FROM _moorage_withheld")
        counts.waiting = try count("SELECT count(*) FROM _moorage_waiting")
        counts.lastCaughtUp = try meta.integer(.lastCaughtUp)
        counts.rowsDone = try meta.integer(.doneRows).map(Int.init)
        counts.rowsExpected = try meta.integer(.expectedRows).map(Int.init)
        counts.stopped =
            tables.stopped
            + tables.hubStopped.sorted { $0.key < $1.key }.map {
                StoppedReplicaTable(
                    name: $0.key, code: HubError.Code.tableStopped.rawValue, reason: $0.value)
            }
        return counts
    }

    func refused(_ db: Database, limit: Int) throws -> [RefusedChange] {
        try refused(db, "ORDER BY id LIMIT ?", [limit])
    }

    /// What was refused as one group, in the order in which it was sent.
    func refused(_ db: Database, group: String) throws -> [RefusedChange] {
        try refused(db, "WHERE grp = ? ORDER BY id", [group])
    }

    private func refused(
        _ db: Database, _ rest: String, _ arguments: StatementArguments
    ) throws -> [RefusedChange] {
        let sql = "SELECT * FROM _moorage_refused \(rest)"
        return try Row.fetchAll(db, sql: sql, arguments: arguments).map { row in
            try Metadata(db: db).damaged("refused") {
                let columns = try [String](jsonText: row["columns"])
                func values(_ name: String) throws -> [String: Value] {
                    guard let text: String = row[name] else { return [:] }
                    return NamedValues(zip(columns, try [Value](jsonText: text)).map { ($0, $1) })
                        .byName
                }
                let whole: String? = row["row"]
                return RefusedChange(
                    id: row["id"], table: row["tbl"], key: Key(try [Value](jsonText: row["key"])),
                    operation: RefusedChange.Operation(rawValue: row["operation"]) ?? .row,
                    before: try values("before"), after: try values("after"),
                    row: try whole.map { try NamedValues(jsonText: $0).byName },
                    code: Refusal.Code(rawValue: row["code"]), message: row["message"],
                    at: row["at"], isHeld: row["held"],
                    group: row["grp"])
            }
        }
    }

    func dismissRefused(_ db: Database, id: Int64) throws {
        try db.execute(sql: "DELETE FROM _moorage_refused WHERE id = ?", arguments: [id])
    }

    func withheld(_ db: Database, limit: Int) throws -> [WithheldNotice] {
        let sql = "SELECT * FROM _moorage_withheld LIMIT ?"
        return try Row.fetchAll(db, sql: sql, arguments: [limit]).map { row in
            try Metadata(db: db).damaged("withheld") {
                WithheldNotice(
                    table: row["tbl"], key: Key(try [Value](jsonText: row["key"])),
                    column: row["column"], reason: row["reason"])
            }
        }
    }
}

extension NamedValues {
    var byName: [String: Value] {
        Dictionary(zip(columns, values), uniquingKeysWith: { first, _ in first })
    }
}
