import MoorageCore
import MoorageHub

/// The tracking table of one table, and the triggers that maintain it in the transaction of every
/// change (docs/reference/hub.md, Tracking).
///
/// They write with plain UPDATE and INSERT, because the conflict clause of the owner's statement
/// would replace any clause here. They name the columns of keys and of unique indexes. They also
/// name those of `UPDATE OF`, which SQLite does not check. The owner can drop any other column.
struct TrackingTriggers {
    let table: AttachedTable
    /// The unique keys, the primary key first.
    private let unique: [UniqueKey]
    let base: String
    let keys: [String]
    let track: String

    /// - Parameter unique: The table's keys, the primary key first; `nil` where they do not matter.
    init(_ table: AttachedTable, unique: [UniqueKey]? = nil) {
        self.table = table
        self.unique =
            unique ?? [
                UniqueKey(
                    columns: table.description.primaryKey.map { table.description.columns[$0].name }
                )
            ]
        base = table.name.quoted
        keys = table.description.primaryKey.map { table.description.columns[$0].name.quoted }
        track = table.objectName("track").quoted
    }

    var trackKeys: [String] { keys.indices.map { "k\($0)" } }
    var keyList: String { trackKeys.joined(separator: ", ") }
    private var scope: String { "'\(Scope.everything.name)'" }
    var now: String { SQLiteConnection.nowSQL }

    var tableSteps: [String] {
        [
            """
            CREATE TABLE IF NOT EXISTS \(track) (
              \(trackKeys.map { "\($0) NOT NULL" }.joined(separator: ", ")),
              scope TEXT NOT NULL,
              live INTEGER NOT NULL,
              version INTEGER,  -- NULL: changed and not yet numbered
              live_since INTEGER,  -- the version at which the row first became live here
              changed_at INTEGER NOT NULL,
              PRIMARY KEY (\(keyList), scope)
            ) WITHOUT ROWID
            """,
            """
            CREATE INDEX IF NOT EXISTS \(table.objectName("version").quoted)
            ON \(track) (scope, version, \(keyList))
            """,
            """
            CREATE INDEX IF NOT EXISTS \(table.objectName("unnumbered").quoted)
            ON \(track) (scope) WHERE version IS NULL
            """,
            """
            CREATE INDEX IF NOT EXISTS \(table.objectName("gone").quoted)
            ON \(track) (version) WHERE NOT live
            """,
        ]
    }

    private static let kinds = [
        "insert", "update", "move", "rekey", "delete", "before_insert", "before_update",
    ]

    var dropSteps: [String] {
        Self.kinds.map { "DROP TRIGGER IF EXISTS \(table.objectName($0).quoted)" }
    }

    var createSteps: [String] {
        let same = Self.areSame(keys)
        let synced = table.description.columns.filter { !$0.isGenerated }.map(\.name.quoted)
            .joined(separator: ", ")
        let scoped = table.scopes.isEmpty ? nil : ScopedTracking(self)
        let enter = { scoped?.derive($0) ?? self.enter($0) }
        let stays = scoped.map { " AND " + $0.staysInScopes } ?? ""
        var steps = [
            trigger("insert", "AFTER INSERT", when: isKey("NEW"), enter("NEW")),
            trigger(
                "update", "AFTER UPDATE OF \(synced)", when: "\(isKey("NEW")) AND \(same)\(stays)",
                scoped?.renew("NEW") ?? enter("NEW")),
            trigger(
                "rekey", "AFTER \(Self.update(of: keys))", when: "NOT (\(same))",
                leave("OLD") + " " + enter("NEW")),
            trigger("delete", "AFTER DELETE", when: "1", leave("OLD")),
        ]
        if let scoped, !scoped.decidingColumns.isEmpty {
            steps.append(
                trigger(
                    "move", "AFTER UPDATE OF \(scoped.decidingColumns.joined(separator: ", "))",
                    when: "\(isKey("NEW")) AND \(same) AND NOT (\(scoped.staysInScopes))",
                    enter("NEW")))
        }
        // REPLACE removes rows without firing delete triggers. A trigger records the rows that it
        // may remove, and the numbering step checks whether they still exist. A row with the same
        // bytes in the key continues as the incoming one.
        let others = unique.dropFirst()
        let inserted = others + unique.prefix(1).filter { !$0.isByBytes }
        if !inserted.isEmpty {
            let inserts = inserted.map { inTheWay($0, except: nil) }.joined(separator: " ")
            steps.append(trigger("before_insert", "BEFORE INSERT", when: "1", inserts))
        }
        // A key that another row takes needs a record, too. A cascade from the replaced row may
        // remove the row that takes the key before it arrives.
        let all = others + unique.prefix(1)
        let updates = all.map { inTheWay($0, except: "OLD") }.joined(separator: " ")
        let columns = Set(all.flatMap(\.deciding)).sorted()
        steps.append(
            trigger("before_update", "BEFORE \(Self.update(of: columns))", when: "1", updates))
        return steps
    }

    /// An update that may change these columns. An integer key can be set by other names, too, and
    /// SQLite compares names.
    static func update(of columns: [String]) -> String {
        "UPDATE OF \((columns + ["rowid", "oid", "_rowid_"]).joined(separator: ", "))"
    }

    /// The condition of a part of the existing rows, in the order of the key's own index. The part
    /// contains the rows after `?1, ?2, …`, up to the parameters that follow.
    func isInPart(_ row: String, isFirst: Bool, isLast: Bool) -> String {
        let columns = keys.map { "\(row).\($0)" }
        return
            (columns.map { "\($0) IS NOT NULL" }
            + bounds(columns, isFirst: isFirst, isLast: isLast)).joined(separator: " AND ")
    }

    private func bounds(_ columns: [String], isFirst: Bool, isLast: Bool) -> [String] {
        let list = columns.joined(separator: ", ")
        func parameters(_ first: Int) -> String {
            keys.indices.map { "?\(first + $0)" }.joined(separator: ", ")
        }
        var bounds: [String] = []
        if !isFirst { bounds.append("(\(list)) > (\(parameters(1)))") }
        if !isLast {
            bounds.append("(\(list)) <= (\(parameters(isFirst ? 1 : 1 + keys.count)))")
        }
        return bounds
    }

    /// The key of the last row of a part; no row where fewer are left.
    func fillEnd(isFirst: Bool, batch: Int) -> String {
        let list = keys.map { "t.\($0)" }.joined(separator: ", ")
        return """
            SELECT \(list) FROM \(base) t WHERE \(isInPart("t", isFirst: isFirst, isLast: true))
            ORDER BY \(list) LIMIT 1 OFFSET \(max(1, batch) - 1)
            """
    }

    /// Queries for the rows of a part that have no tracking row: their keys, and the scope.
    func missing(isFirst: Bool, isLast: Bool) -> [String] {
        if !table.scopes.isEmpty {
            return ScopedTracking(self).missing(
                where: isInPart("l0", isFirst: isFirst, isLast: isLast))
        }
        return [
            """
            SELECT \(keys.map { "t.\($0)" }.joined(separator: ", ")), \(scope)
            FROM \(base) t
            WHERE \(isInPart("t", isFirst: isFirst, isLast: isLast))
              AND NOT EXISTS (
                SELECT 1 FROM \(track) x WHERE \(tracked("x", of: "t")) AND x.scope = \(scope))
            """
        ]
    }

    /// - Parameters:
    ///   - missing: One of the queries above.
    ///   - number: The place of the parameter with the transaction's number.
    func fillStep(_ missing: String, number: Int) -> String {
        """
        INSERT INTO \(track) (\(keyList), scope, live, version, live_since, changed_at)
        SELECT m.*, 1, ?\(number), ?\(number), \(now) FROM (\(missing)) m
        """
    }

    /// Whether a tracking row should be live. Scopes other than everything are from an earlier
    /// attach.
    private var isLive: String {
        if !table.scopes.isEmpty { return ScopedTracking(self).isInScope }
        return """
            (scope = \(scope) AND EXISTS (SELECT 1 FROM \(base) t WHERE \(match(track, "t"))))
            """
    }

    /// The condition of a part of the tracking rows, in the order of their keys.
    func isInRepairPart(isFirst: Bool, isLast: Bool) -> String {
        let bounds = bounds(trackKeys, isFirst: isFirst, isLast: isLast)
        return bounds.isEmpty ? "1" : bounds.joined(separator: " AND ")
    }

    /// The key of the last tracking row of a part; no row where fewer are left.
    func repairEnd(isFirst: Bool, batch: Int) -> String {
        """
        SELECT \(keyList) FROM \(track) WHERE \(isInRepairPart(isFirst: isFirst, isLast: true))
        ORDER BY \(keyList) LIMIT 1 OFFSET \(max(1, batch) - 1)
        """
    }

    /// A query that returns a row where a tracking row of the part contradicts the table.
    func difference(_ part: String) -> String {
        "SELECT 1 FROM \(track) WHERE live <> \(isLive) AND \(part) LIMIT 1"
    }

    func repairStep(_ part: String) -> String {
        """
        UPDATE \(track) SET live = NOT live, version = NULL, changed_at = \(now)
        WHERE live <> \(isLive) AND \(part)
        """
    }

    /// Rows without a number are new to everyone already.
    ///
    /// - Parameter number: The place of the parameter with the transaction's number.
    func restampStep(_ part: String, number: Int) -> String {
        "UPDATE \(track) SET version = ?\(number) WHERE version IS NOT NULL AND \(part)"
    }

    private func trigger(_ kind: String, _ event: String, when: String, _ body: String) -> String {
        trigger(table.objectName(kind), event, on: base, when: when, body)
    }

    /// The condition that an update leaves these columns as they are, by their bytes.
    static func areSame(_ columns: [String]) -> String {
        columns.map { "OLD.\($0) COLLATE BINARY IS NEW.\($0)" }.joined(separator: " AND ")
    }

    func trigger(
        _ name: String, _ event: String, on table: String, when: String, _ body: String
    ) -> String {
        """
        CREATE TRIGGER \(name.quoted) \(event) ON \(table)
        WHEN \(when) BEGIN
          \(body)
        END
        """
    }

    private func isKey(_ row: String) -> String {
        keys.map { "\(row).\($0) IS NOT NULL" }.joined(separator: " AND ")
    }

    /// The tracking rows of a row, found by their key. They are compared by bytes, because the
    /// tracking table's columns have the binary collation and are on the left.
    ///
    /// Plain `row.id` would bring its column's affinity into the comparison. The tracking table's
    /// columns have no affinity, so their index could not be used. Every statement would then read
    /// the whole tracking table.
    func tracked(_ track: String, of row: String) -> String {
        zip(trackKeys, keys).map { "\(track).\($0) = +\(row).\($1)" }.joined(separator: " AND ")
    }

    /// The row of a tracking row, found by its key.
    func match(_ track: String, _ row: String) -> String {
        zip(trackKeys, keys).map { Self.isSame("\(row).\($1)", as: "\(track).\($0)") }
            .joined(separator: " AND ")
    }

    /// The condition that a column of a row has the bytes of a tracking table's. The first
    /// comparison uses the column's own collation, and so its index. The second compares bytes.
    static func isSame(_ column: String, as tracked: String) -> String {
        "\(column) = \(tracked) AND \(tracked) = \(column)"
    }

    /// A row's key to look up in the tracking table.
    func lookedUp(_ row: String) -> String {
        keys.map { "+\(row).\($0)" }.joined(separator: ", ")
    }

    private func enter(_ row: String) -> String {
        """
        UPDATE \(track) SET live = 1, version = NULL, changed_at = \(now)
          WHERE \(tracked(track, of: row)) AND scope = \(scope);
          INSERT INTO \(track) (\(keyList), scope, live, version, live_since, changed_at)
          SELECT \(keys.map { "\(row).\($0)" }.joined(separator: ", ")), \(scope), 1, NULL, NULL, \(now)
          WHERE \(isKey(row)) AND NOT EXISTS (
            SELECT 1 FROM \(track) WHERE \(tracked(track, of: row)) AND scope = \(scope));
        """
    }

    private func leave(_ row: String) -> String {
        let isRow = tracked(track, of: row)
        return
            "UPDATE \(track) SET live = 0, version = NULL, changed_at = \(now) WHERE \(isRow) AND live;"
    }

    /// The key's columns in their order, as a delete trigger names them: `k0 = +OLD."id" AND …`.
    ///
    /// - Parameter text: The trigger as the schema has it now. When the owner renames a column,
    ///   SQLite renames it there, too.
    static func keys(inDelete text: String) -> [String] {
        let words = SQLWords(text).words
        return words.indices.dropLast(2).compactMap { place in
            guard words[place].isKeyword("OLD"), words[place + 1].isMark("."),
                words[place + 2].isName
            else { return nil }
            return words[place + 2].text
        }
    }

    private func inTheWay(_ key: UniqueKey, except row: String?) -> String {
        let others = row.map { row in
            " AND NOT (" + keys.map { "\($0) IS \(row).\($0)" }.joined(separator: " AND ") + ")"
        }
        return """
            UPDATE \(track) SET version = NULL
              WHERE live AND (\(keyList)) IN (
                SELECT \(lookedUp(base)) FROM \(base)
                WHERE \(key.hits(isUpdate: row != nil))\(others ?? ""));
            """
    }
}
