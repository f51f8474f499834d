import MoorageCore
import SQLiteSupport

/// A table, an index or a trigger that keeps states, as SQLite stores its text.
struct RowStateDefinition {
    let name: String
    let sql: String
}

/// The table of states of one synced table, and the triggers that keep it (decision 0112).
///
/// It has an entry for each row of which there is more to say than that it is synced. Triggers on
/// the log count a row's entries there. The rest follows the lists for review, by way of
/// ``RowStateLists``.
struct RowStateSQL {
    let table: TrackedTable

    private var states: String { SQLText.name(table.stateTable) }
    private var log: String { SQLText.name(table.logTable) }
    private var keys: [String] { table.keyColumns }
    private var key: String { keys.joined(separator: ", ") }

    /// What the file needs: the same table gives the same texts.
    var definitions: [RowStateDefinition] {
        [RowStateDefinition(name: table.stateTable, sql: createTable)] + triggers
    }

    static func triggerNames(of table: Identifier) -> [String] {
        ["added", "removed", "moved"].map { triggerName($0, of: table) }
    }

    private static func triggerName(_ kind: String, of table: Identifier) -> String {
        "_moorage_stated_\(kind)_\(table)"
    }

    /// Not `WITHOUT ROWID`: GRDB observes no writes of triggers to such a table. The columns of the
    /// key have the affinity of the app's, or SQLite would not use the index for a join.
    var createTable: String {
        let columns = zip(keys, table.keyAffinities).map { "\($0) \($1.typeName)" }
        return """
            CREATE TABLE \(states)(\(columns.joined(separator: ", ")), \
            edits INTEGER NOT NULL DEFAULT 0, in_flight INTEGER NOT NULL DEFAULT 0, code TEXT, \
            overruled INTEGER NOT NULL DEFAULT 0, deferred INTEGER NOT NULL DEFAULT 0, \
            withheld INTEGER NOT NULL DEFAULT 0, \
            state TEXT AS (CASE WHEN code IS NOT NULL THEN '\(RowState.refusedPrefix)' || code \
            WHEN edits > 0 THEN 'pending' \
            WHEN in_flight THEN 'inFlight' WHEN overruled THEN 'overruled' \
            WHEN deferred THEN 'deferred' WHEN withheld THEN 'withheld' ELSE 'synced' END), \
            UNIQUE(\(key)))
            """
    }

    // MARK: Triggers

    private static let counts = "op <> \(LogOperation.candidate.sql)"

    private var triggers: [RowStateDefinition] {
        let isOther = (["op"] + keys).map { "OLD.\($0) IS NOT NEW.\($0)" }
            .joined(separator: " OR ")
        return [
            trigger("added", "AFTER INSERT", when: counted("NEW"), [add("NEW")]),
            trigger("removed", "AFTER DELETE", when: counted("OLD"), remove("OLD")),
            trigger(
                "moved", "AFTER UPDATE OF op, \(key)", when: isOther,
                remove("OLD", ifCounted: true) + [add("NEW", ifCounted: true)]),
        ]
    }

    private func trigger(
        _ kind: String, _ event: String, when condition: String, _ body: [String]
    ) -> RowStateDefinition {
        let name = Self.triggerName(kind, of: table.name)
        let sql = """
            CREATE TRIGGER \(SQLText.name(name)) \(event) ON \(log) WHEN \(condition)
            BEGIN
            \(body.map { "  \($0);" }.joined(separator: "\n"))
            END
            """
        return RowStateDefinition(name: name, sql: sql)
    }

    /// Whether an entry counts: SQLite permits keys that are NULL, and no hub knows them.
    private func counted(_ row: String) -> String {
        (["\(row).\(Self.counts)"] + keys.map { "\(row).\($0) IS NOT NULL" })
            .joined(separator: " AND ")
    }

    private func values(_ row: String) -> String {
        keys.map { "\(row).\($0)" }.joined(separator: ", ")
    }

    private func isRow(_ row: String) -> String {
        keys.map { "\($0) = \(row).\($0)" }.joined(separator: " AND ")
    }

    private func add(_ row: String, ifCounted: Bool = false) -> String {
        // The grammar needs a WHERE between a SELECT and its ON CONFLICT.
        """
        INSERT INTO \(states)(\(key), edits) \
        SELECT \(values(row)), 1 WHERE \(ifCounted ? counted(row) : "1") \
        ON CONFLICT(\(key)) DO UPDATE SET edits = edits + 1
        """
    }

    private func remove(_ row: String, ifCounted: Bool = false) -> [String] {
        let condition = ifCounted ? " AND \(counted(row))" : ""
        return [
            "UPDATE \(states) SET edits = max(edits - 1, 0) WHERE \(isRow(row))\(condition)",
            "DELETE FROM \(states) WHERE \(isRow(row)) AND \(Self.isEmpty)",
        ]
    }

    /// The condition for an entry that says no more than that the row is synced.
    static let isEmpty = """
        edits = 0 AND in_flight = 0 AND code IS NULL AND overruled = 0 AND deferred = 0 AND withheld = 0
        """

    // MARK: Statements

    /// Counts all entries of the log. Two of its keys may be one in the table's present type.
    var fill: String {
        let isKey = keys.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        return """
            INSERT INTO \(states)(\(key), edits) \
            SELECT \(key), count(*) FROM \(log) WHERE \(Self.counts) AND \(isKey) GROUP BY \(key) \
            ON CONFLICT(\(key)) DO UPDATE SET edits = edits + excluded.edits
            """
    }

    /// Takes a row's key as `?1` and so on.
    var markInFlight: String {
        """
        INSERT INTO \(states)(\(key), in_flight) VALUES(\(SQLText.parameters(keys.count)), 1) \
        ON CONFLICT(\(key)) DO UPDATE SET in_flight = 1
        """
    }

    /// No batch is in flight any more.
    var clearInFlight: [String] {
        [
            "UPDATE \(states) SET in_flight = 0 WHERE in_flight = 1",
            "DELETE FROM \(states) WHERE \(Self.isEmpty)",
        ]
    }

    /// No list has any row.
    var clearLists: [String] {
        [
            "UPDATE \(states) SET code = NULL, overruled = 0, deferred = 0, withheld = 0",
            "DELETE FROM \(states) WHERE \(Self.isEmpty)",
        ]
    }

    /// Takes a row's key, and then what the lists say of it.
    var setLists: String {
        let lists = ["code", "overruled", "deferred", "withheld"]
        return """
            INSERT INTO \(states)(\(key), \(lists.joined(separator: ", "))) \
            VALUES(\(SQLText.parameters(keys.count + lists.count))) ON CONFLICT(\(key)) \
            DO UPDATE SET \(lists.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }

    /// Takes a row's key.
    var removeIfEmpty: String {
        let isRow = keys.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ")
        return "DELETE FROM \(states) WHERE \(isRow) AND \(Self.isEmpty)"
    }
}
