import MoorageCore
import SQLiteSupport

/// The log of one table and the triggers that write it (docs/reference/client.md, Triggers and
/// log).
struct TrackingSQL {
    let table: TrackedTable
    /// The columns that only the hub writes; `nil` if the app may write.
    var readOnly: [String]?
    var times = TimestampColumns()

    /// Columns that get the time of a local insert, and of each local change.
    struct TimestampColumns {
        var created: LocalColumn?
        var updated: LocalColumn?
        /// The columns whose edits count: the synced ones; `nil` for all, before the hub is known.
        var edits: [String]?
    }

    private var log: String { SQLText.name(table.logTable) }
    private var target: String { SQLText.name(table.local.name) }
    /// The app writes, and not the replica.
    static let guardCondition = "NOT EXISTS (SELECT 1 FROM _moorage_applying)"
    /// Milliseconds since 1970. Each function that a trigger calls costs every write of the app.
    static let now = "CAST((julianday('now') - 2440587.5) * 86400000.0 + 0.5 AS INTEGER)"

    // MARK: Tables

    /// The append-only log: its integer key makes each new entry an append.
    private var createLog: String {
        let columns =
            ["seq INTEGER PRIMARY KEY", "op TEXT NOT NULL", "at INTEGER NOT NULL"]
            + ["again INTEGER NOT NULL DEFAULT 0", "grp INTEGER"] + table.keyColumns
            + (0..<table.maskCount).map { "m\($0)" } + table.logNames.indices.map { "o\($0)" }
        return "CREATE TABLE IF NOT EXISTS \(log)(\(columns.joined(separator: ", ")))"
    }

    /// Rows written or removed since the last caught-up page: their foreign keys are to be checked.
    private var createChanged: String {
        keyTable(table.changedTable, more: ", gone INTEGER NOT NULL")
    }

    /// Rows that a first copy has not brought yet.
    private var createUnconfirmed: String { keyTable(table.unconfirmedTable, more: "") }

    /// See ``UndecidedFills``: a row for each of its columns that wait for the hub's value.
    private var createFills: String {
        keyTable(table.fillTable, more: ", place INTEGER NOT NULL", unique: ", place")
    }

    /// The log and the lists of keys that each synced table has.
    var createTables: [String] { [createLog, createChanged, createUnconfirmed, createFills] }

    /// - Parameter unique: What the primary key has after the row's key.
    private func keyTable(_ name: String, more: String, unique: String = "") -> String {
        let key = table.keyColumns.joined(separator: ", ")
        return """
            CREATE TABLE IF NOT EXISTS \(SQLText.name(name))\
            (\(key)\(more), PRIMARY KEY(\(key)\(unique))) WITHOUT ROWID
            """
    }

    // MARK: Triggers

    /// The triggers by name. The same table gives the same text.
    var triggers: [(name: String, sql: String)] {
        var result = [insertTrigger, updateTrigger, deleteTrigger] + groupTriggers
        if !table.keyNames.isEmpty { result.append(keyTrigger) }
        if let readOnly { result += refusals(readOnly) }
        if let trigger = timeTrigger { result.append(trigger) }
        result.append(beforeInsertTrigger)
        if let trigger = beforeUpdateTrigger { result.append(trigger) }
        return result
    }

    static let kinds = [
        "insert", "update", "delete", "key", "time", "standing_insert", "standing_update",
        "readonly_insert", "readonly_update", "readonly_delete", "group_begin", "group_end",
    ]

    /// How the message of a refused write begins; ``ReplicaError`` recognizes it by that.
    static let readOnlyPrefix = "moorage: readOnly: "

    /// Refuses the app's own writes at once. Columns that are not synced stay the app's own.
    private func refusals(_ columns: [String]) -> [(name: String, sql: String)] {
        let message = SQLText.literal(
            Self.readOnlyPrefix + "\(table.name) comes from the hub alone")
        let body = ["SELECT RAISE(ABORT, \(message))"]
        return [
            trigger("readonly_insert", "BEFORE INSERT", body),
            trigger("readonly_update", "BEFORE UPDATE OF \(SQLText.names(columns))", body),
            trigger("readonly_delete", "BEFORE DELETE", body),
        ]
    }

    /// - Parameter first: A condition that is rarer, or cheaper, than the guard's.
    private func trigger(
        _ kind: String, _ event: String, first: String? = nil, when condition: String? = nil,
        _ body: [String]
    ) -> (name: String, sql: String) {
        let when = [first, Self.guardCondition, condition].compactMap { $0 }.joined(
            separator: " AND ")
        return create(kind, "\(event) ON \(target) WHEN \(when)", body)
    }

    private func create(
        _ kind: String, _ event: String, _ body: [String]
    ) -> (name: String, sql: String) {
        let name = "_moorage_\(kind)_\(table.name)"
        let sql = """
            CREATE TRIGGER \(SQLText.name(name)) \(event)
            BEGIN
            \(body.map { "  \($0);" }.joined(separator: "\n"))
            END
            """
        return (name, sql)
    }

    private func values(_ names: [String], of row: String) -> String {
        names.map { "\(row).\(SQLText.name($0))" }.joined(separator: ", ")
    }

    private var keys: String { table.keyColumns.joined(separator: ", ") }

    private func record(inserted row: String) -> String {
        """
        INSERT INTO \(log)(op, at, \(keys)) \
        VALUES(\(LogOperation.insert.sql), \(Self.now), \(values(table.keyNames, of: row)))
        """
    }

    /// The log's columns that the table still has, with their places.
    var places: [(place: Int, name: String)] {
        table.logNames.enumerated().compactMap { place, name in
            guard let column = table.local.column(named: name),
                !table.local.columns[column].isGenerated
            else { return nil }
            return (place, table.local.columns[column].name)
        }
    }

    private var oldColumns: String { places.map { ", o\($0.place)" }.joined() }

    private var insertTrigger: (name: String, sql: String) {
        trigger(
            "insert", "AFTER INSERT",
            [record(inserted: "NEW")]
                + [times.created, times.updated].compactMap { $0 }.map { keep($0, "IS NULL") })
    }

    private var deleteTrigger: (name: String, sql: String) {
        trigger("delete", "AFTER DELETE", [record(deleted: "OLD")])
    }

    private func record(deleted row: String) -> String {
        let keys = table.keyNames.map { guarded("\(row).\(SQLText.name($0))") }
        let olds = places.map { guarded("\(row).\(SQLText.name($0.name))") }
        return """
            INSERT INTO \(log)(op, at, \(self.keys)\(oldColumns)) \
            SELECT \(LogOperation.delete.sql), \(Self.now), \
            \((keys + olds).joined(separator: ", "))\(source(row))
            """
    }

    // MARK: Columns that the app may drop

    private var droppable: DroppableColumns? { DroppableColumns(table) }

    private func guarded(_ expression: String) -> String {
        droppable == nil ? expression : "(SELECT \(expression))"
    }

    private func source(_ rows: String...) -> String {
        droppable.map { " FROM \($0.standIns(for: rows))" } ?? ""
    }

    /// Bytes decide whether a value changed, whatever the column's collation.
    private func isChanged(_ name: String) -> String {
        "OLD.\(SQLText.name(name)) COLLATE BINARY IS NOT NEW.\(SQLText.name(name))"
    }

    private var isKeyChanged: String {
        table.keyNames.map(isChanged).joined(separator: " OR ")
    }

    private var updateTrigger: (name: String, sql: String) {
        let masks = (0..<table.maskCount).map { mask in
            let bits = places.filter { $0.place / TrackedTable.columnsPerMask == mask }.map {
                // This takes fewer steps than to shift the comparison, for each column of each
                // update.
                "CASE WHEN \(isChanged($0.name)) THEN \(1 << ($0.place % TrackedTable.columnsPerMask)) ELSE 0 END"
            }
            return bits.isEmpty ? "0" : bits.joined(separator: " | ")
        }
        let values =
            table.keyNames.map { "OLD.\(SQLText.name($0))" } + masks
            + places.map { oldValue($0.name) }
        let body = """
            INSERT INTO \(log)(op, at, \(keys)\(masks.indices.map { ", m\($0)" }.joined())\(oldColumns)) \
            SELECT \(LogOperation.update.sql), \(Self.now), \
            \(values.map(guarded).joined(separator: ", "))\
            \(source("OLD", "NEW"))
            """
        return trigger("update", "AFTER UPDATE", when: "NOT (\(isKeyChanged))", [body])
    }

    /// A number needs hardly more space than NULL, and leaving it out takes more steps.
    private func oldValue(_ name: String) -> String {
        let old = "OLD.\(SQLText.name(name))"
        let affinity = table.local.column(named: name).map { table.local.columns[$0].affinity }
        return affinity == .integer || affinity == .real
            ? old : "CASE WHEN \(isChanged(name)) THEN \(old) END"
    }

    private var keyTrigger: (name: String, sql: String) {
        trigger(
            "key", "AFTER UPDATE OF \(SQLText.names(table.keyNames))", when: "(\(isKeyChanged))",
            [record(deleted: "OLD"), record(inserted: "NEW")]
                + [times.updated].compactMap { $0 }.map { keep($0, isLeft($0)) })
    }

    // MARK: Groups

    /// A group has the entries that came while its marker existed, whoever wrote them. They get its
    /// number when the marker goes. So a change that belongs to no group pays nothing.
    private var groupTriggers: [(name: String, sql: String)] {
        let name = SQLText.literal(table.name.text)
        // Not `OR REPLACE`: the conflict clause of the statement that fires a trigger overrides its
        // own.
        let begin = [
            "DELETE FROM _moorage_group_start WHERE tbl = \(name)",
            """
            INSERT INTO _moorage_group_start(tbl, seq)
              VALUES(\(name), (SELECT coalesce(max(seq), 0) FROM \(log)))
            """,
        ]
        let end = [
            """
            UPDATE \(log) SET grp = OLD.id
              WHERE seq > (SELECT seq FROM _moorage_group_start WHERE tbl = \(name))
            """,
            "DELETE FROM _moorage_group_start WHERE tbl = \(name)",
        ]
        return [
            create(
                "group_begin",
                "AFTER INSERT ON _moorage_group WHEN (SELECT count(*) FROM _moorage_group) = 1",
                begin),
            create(
                "group_end",
                "AFTER DELETE ON _moorage_group WHEN NOT EXISTS (SELECT 1 FROM _moorage_group)",
                end),
        ]
    }

    // MARK: Times that are kept

    /// Writes the time of a change. That is a change like the app's own, so it fires the triggers
    /// above. If the key changes, or the row is new, the time must come after their log entries. So
    /// it is part of those triggers.
    private var timeTrigger: (name: String, sql: String)? {
        guard let updated = times.updated else { return nil }
        let others = places.filter { place in
            // Not the time of the insert: that is written right after the row.
            ![updated, times.created].compactMap({ $0?.name }).contains {
                SQLText.isSameName(place.name, $0)
            }
                && times.edits?.contains { SQLText.isSameName($0, place.name) } != false
        }
        if others.isEmpty { return nil }
        let edits = others.map { isChanged($0.name) }.joined(separator: " OR ")
        let isEdited = "SELECT \(guarded(edits))\(source("OLD", "NEW"))"
        return trigger(
            "time", "AFTER UPDATE OF \(SQLText.names(others.map(\.name)))",
            when: "NOT (\(isKeyChanged)) AND NOT (\(isChanged(updated.name))) AND (\(isEdited))",
            [keep(updated, "IS NOT \(time(updated))")])
    }

    private func isLeft(_ column: LocalColumn) -> String {
        let name = SQLText.name(column.name)
        return "IS OLD.\(name) AND OLD.\(name) COLLATE BINARY IS NEW.\(name)"
    }

    private func keep(_ column: LocalColumn, _ condition: String) -> String {
        let name = SQLText.name(column.name)
        let isRow = table.keyNames.map {
            "\(SQLText.name($0)) = NEW.\(SQLText.name($0)) AND \(SQLText.name($0)) COLLATE BINARY IS NEW.\(SQLText.name($0))"
        }.joined(separator: " AND ")
        return
            "UPDATE \(target) SET \(name) = \(time(column)) WHERE \(isRow) AND \(name) \(condition)"
    }

    /// Every time of a trigger comes from `julianday`, so a test replaces one function.
    private func time(_ column: LocalColumn) -> String {
        column.affinity == .integer
            ? Self.now : "strftime('%Y-%m-%d %H:%M:%f', julianday('now'))"
    }

    // MARK: Candidates

    /// By which columns `REPLACE` may remove a row. Each unique index gets its own statement, so
    /// that the index finds the row.
    var uniques: [[IndexedColumn]] {
        table.local.uniqueIndexes.filter { $0.isPlain && !$0.columns.isEmpty }.map(\.columns)
    }

    private func candidates(_ condition: String) -> String {
        let names = (table.keyNames + places.map(\.name)).map { SQLText.name($0) }
        let rows = droppable.map { $0.joined(to: target) } ?? target
        return """
            INSERT INTO \(log)(op, at, \(keys)\(oldColumns)) \
            SELECT \(LogOperation.candidate.sql), \(Self.now), \(names.joined(separator: ", ")) \
            FROM \(rows) WHERE \(condition)
            """
    }

    private var isSameKey: String {
        table.keyNames.map { "\(SQLText.name($0)) = NEW.\(SQLText.name($0))" }
            .joined(separator: " AND ")
    }

    private func isSame(_ columns: [IndexedColumn]) -> String {
        columns.map { column in
            let name = SQLText.name(column.name)
            let new = droppable.map {
                "(SELECT (SELECT NEW.\(name)) FROM \($0.standIns(for: ["NEW"])))"
            }
            return "\(name) COLLATE \(SQLText.name(column.collation)) = \(new ?? "NEW.\(name)")"
        }.joined(separator: " AND ")
    }

    private func exists(_ columns: [(name: String, collation: String?)]) -> String {
        let isSame = columns.map { column in
            let name = SQLText.name(column.name)
            let collation = column.collation.map { " COLLATE \(SQLText.name($0))" } ?? ""
            return "t.\(name)\(collation) = NEW.\(name)"
        }.joined(separator: " AND ")
        return "EXISTS (SELECT 1 FROM \(target) AS t WHERE \(isSame))"
    }

    private var beforeInsertTrigger: (name: String, sql: String) {
        var stands = [exists(table.keyNames.map { ($0, nil) })]
        if !uniques.isEmpty {
            let unique = uniques.map { exists($0.map { ($0.name, $0.collation) }) }
                .joined(separator: " OR ")
            stands.append(droppable == nil ? unique : "(SELECT \(unique)\(source("t", "NEW")))")
        }
        return trigger(
            "standing_insert", "BEFORE INSERT", first: "(\(stands.joined(separator: " OR ")))",
            ([isSameKey] + uniques.map(isSame)).map(candidates))
    }

    private var beforeUpdateTrigger: (name: String, sql: String)? {
        let columns = table.keyNames + uniques.flatMap { $0.map(\.name) }
        var seen: Set<Identifier> = []
        let distinct = columns.filter { seen.insert(Identifier(folding: $0)).inserted }
        let isOther =
            "NOT ("
            + table.keyNames.map {
                "\(SQLText.name($0)) COLLATE BINARY IS OLD.\(SQLText.name($0))"
            }.joined(separator: " AND ") + ")"
        return trigger(
            "standing_update", "BEFORE UPDATE OF \(SQLText.names(distinct))",
            ([isSameKey] + uniques.map(isSame)).map { candidates("\($0) AND \(isOther)") })
    }
}
