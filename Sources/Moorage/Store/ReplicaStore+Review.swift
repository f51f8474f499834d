import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

/// Counts and lists of the replica's state, from its file.
struct StoreCounts: Hashable, Sendable {
    var pending = 0
    var refused = 0
    var overruled = 0
    var withheld = 0
    var deferred = 0
    var dangling = 0
    var caughtUp: CaughtUpTime?
    var rowsDone: Int?
    var rowsExpected: Int?
    var tables: [TableProgress] = []
    var suspended: [SuspendedReplicaTable] = []
}

extension ReplicaStore {
    /// When the replica last caught up; `nil` if it never did.
    func caughtUp(_ db: Database) throws -> CaughtUpTime? {
        try Metadata(db: db).text(.lastCaughtUp).flatMap(CaughtUpTime.init)
    }

    func counts(_ db: Database) throws -> StoreCounts {
        let meta = Metadata(db: db)
        let tables = try load(db)
        var counts = StoreCounts()
        let statements = RawStatements(db, cache: statementCache)
        func count(_ sql: String) throws -> Int { Int(try statements(sql).firstInteger() ?? 0) }
        let pending = try pendingCounts(tables, statements)
        counts.pending = pending.values.reduce(0, +)
        counts.pending += try meta.inFlightBatch()?.batch.changes.count ?? 0
        (counts.refused, counts.overruled) = try reviewCounts(statements)
        counts.withheld = try count("SELECT count(*) FROM _moorage_withheld")
        counts.deferred = try count("SELECT count(*) FROM _moorage_deferred")
        counts.dangling = try count("SELECT count(*) FROM _moorage_dangling")
        counts.caughtUp = try caughtUp(db)
        counts.rowsDone = try meta.integer(.doneRows).map(Int.init)
        counts.rowsExpected = try meta.integer(.expectedRows).map(Int.init)
        if counts.rowsExpected != nil { counts.tables = try ScanProgress(meta: meta).tables() }
        counts.suspended = suspensions(tables)
        for place in counts.suspended.indices {
            counts.suspended[place].pendingCount =
                pending[Identifier(counts.suspended[place].name)] ?? 0
        }
        return counts
    }

    /// The suspended tables. If both sides have suspended a table, it is listed once.
    private func suspensions(_ tables: LoadedTables) -> [SuspendedReplicaTable] {
        let atHub = tables.suspensionsAtHub.sorted { Identifier($0.name) < Identifier($1.name) }
        // A newer app may also have the table as the hub has it.
        let forNewerApps = Set(
            atHub.filter { $0.code == HubError.Code.clientTooOld.rawValue }
                .map { Identifier($0.name) })
        let here = tables.suspensions.filter { !forNewerApps.contains(Identifier($0.name)) }
        let named = Set(here.map { Identifier($0.name) })
        return here + atHub.filter { !named.contains(Identifier($0.name)) }
    }

    /// How many entries the lists of refused and of overruled changes have.
    func reviewCounts(
        _ statements: RawStatements
    ) throws -> (refused: Int, overruled: Int) {
        func count(_ sql: String) throws -> Int { Int(try statements(sql).firstInteger() ?? 0) }
        return (
            try count("SELECT count(*) FROM _moorage_refused"),
            try count("SELECT count(*) FROM _moorage_overruled")
        )
    }

    /// - Parameter table: Only of this table; `nil` for all.
    func refused(
        _ db: Database, in table: String? = nil, limit: Int
    ) throws -> [RefusedChange] {
        guard let table else { return try refused(db, "ORDER BY id LIMIT ?", [limit]) }
        return try refused(db, "WHERE tbl = ? ORDER BY id LIMIT ?", [table, limit])
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
                let columns = try [String](jsonText: row.decode(forColumn: "columns"))
                func values(_ name: String) throws -> [String: Value] {
                    guard let text = try row.decode(String?.self, forColumn: name) else {
                        return [:]
                    }
                    return NamedValues(zip(columns, try [Value](jsonText: text)).map { ($0, $1) })
                        .byName
                }
                let whole = try row.decode(String?.self, forColumn: "row")
                return RefusedChange(
                    id: try row.decode(forColumn: "id"), table: try row.decode(forColumn: "tbl"),
                    key: RowKey(try [Value](jsonText: row.decode(forColumn: "key"))),
                    kind: ChangeKind(rawValue: try row.decode(forColumn: "operation"))
                        ?? .recovered,
                    before: try values("before"), after: try values("after"),
                    row: try whole.map { try NamedValues(jsonText: $0).byName },
                    code: Refusal.Code(rawValue: try row.decode(forColumn: "code")),
                    message: try row.decode(forColumn: "message"),
                    at: DeviceTime(milliseconds: try row.decode(forColumn: "at")).date,
                    isBlocked: try row.decode(forColumn: "blocked"),
                    group: try row.decode(forColumn: "grp"))
            }
        }
    }

    func dismissRefused(_ db: Database, id: Int64) throws {
        try db.execute(sql: "DELETE FROM _moorage_refused WHERE id = ?", arguments: [id])
    }

    func withheld(_ db: Database, limit: Int) throws -> [WithheldValue] {
        let sql = "SELECT * FROM _moorage_withheld LIMIT ?"
        return try Row.fetchAll(db, sql: sql, arguments: [limit]).map { row in
            try Metadata(db: db).damaged("withheld") {
                WithheldValue(
                    table: try row.decode(forColumn: "tbl"),
                    key: RowKey(try [Value](jsonText: row.decode(forColumn: "key"))),
                    column: try row.decode(forColumn: "column"),
                    reason: try row.decode(forColumn: "reason"))
            }
        }
    }
}

extension NamedValues {
    var byName: [String: Value] {
        Dictionary(zip(columns, values), uniquingKeysWith: { first, _ in first })
    }
}
