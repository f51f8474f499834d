import MoorageCore
import MoorageHub

/// Reading by the snapshot clock (docs/design.md, 5.2): a version is a transaction, a mark a
/// snapshot.
extension PostgresConnection {
    /// Transactions number themselves.
    func numberChanges() throws {}

    func currentMark() throws -> Mark {
        Mark(try link.simple("SELECT pg_current_snapshot()::text").text(0, 0) ?? "")
    }

    func isKnown(_ mark: Mark) throws -> Bool {
        var parameters = Parameters()
        parameters.add(try Self.checked(mark), type: 25)
        // A snapshot of the future belongs to another history.
        let result = try link.query(
            """
            SELECT (pg_snapshot_xmax($1::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()))::text
            """, parameters, asText: true)
        return result.text(0, 0) == "true"
    }

    /// `xmin:xmax:running,…`; anything else never came from here.
    private static func checked(_ mark: Mark) throws -> String {
        let parts = mark.text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let low = UInt64(parts[0]), let high = UInt64(parts[1]), low > 0,
            low <= high,
            parts[2].isEmpty
                || parts[2].split(separator: ",", omittingEmptySubsequences: false).allSatisfy({
                    UInt64($0).map { low <= $0 && $0 < high } ?? false
                })
        else { throw CentralError(.invalidMark, "a mark that is no snapshot") }
        return mark.text
    }

    func trackedRows(
        _ table: AttachedTable, in scope: Scope, _ query: TrackingQuery, after: TrackingPosition?,
        limit: Int
    ) throws -> [TrackedRow] {
        let shape = try shape(of: table)
        var selection = try Selection(query, scope: scope, checked: Self.checked)
        let keys = shape.trackKeys.map { "x.\($0)" }
        let order = (selection.isByVersion ? ["x.version"] : []) + keys
        var position = ""
        if let after {
            var values: [String] = []
            if selection.isByVersion {
                values.append("\(selection.add(String(after.version)))::xid8")
            }
            for (column, value) in zip(shape.keyColumns, after.key.values) {
                values.append(Self.scalar(selection.add(Self.text(value)), column, shape))
            }
            position =
                "AND (\(order.joined(separator: ", "))) > (\(values.joined(separator: ", ")))"
        }
        let count = selection.add(String(limit))
        let result = try link.query(
            """
            SELECT \(shape.keyReadings("x")), x.live::int4::int8, x.version::text::int8,
              (\(selection.isEnteredBefore))::int4::int8
            FROM \(shape.track) x WHERE x.scope = $1 AND \(selection.condition) \(position)
            ORDER BY \(order.joined(separator: ", ")) LIMIT \(count)::int8
            """, selection.parameters)
        let first = shape.keyColumns.count
        return (0..<result.rowCount).map { row in
            TrackedRow(
                key: shape.key(result, row), isLive: result.integer(row, first) == 1,
                version: result.integer(row, first + 1).map { UInt64(clamping: $0) },
                isEnteredBefore: result.integer(row, first + 2) == 1)
        }
    }

    func countTracked(_ table: AttachedTable, in scope: Scope, _ query: TrackingQuery) throws -> Int
    {
        let shape = try shape(of: table)
        let selection = try Selection(query, scope: scope, checked: Self.checked)
        let result = try link.query(
            "SELECT count(*) FROM \(shape.track) x WHERE x.scope = $1 AND \(selection.condition)",
            selection.parameters)
        return Int(clamping: result.integer(0, 0) ?? 0)
    }

    func rows(_ table: AttachedTable, keys: [Key], in scopes: Set<Scope>) throws -> [[Value]] {
        if keys.isEmpty { return [] }
        let shape = try shape(of: table)
        var parameters = try keyArrays(shape, keys)
        parameters.add(texts: scopes.sorted().map(\.name))
        let result = try link.query(
            """
            SELECT \(shape.readings("t")) FROM \(shape.name) t
            JOIN \(keySource(shape)) ON \(shape.match("t", "x"))
            WHERE EXISTS (
              SELECT 1 FROM \(shape.track) y
              WHERE \(shape.matchTrack("y", "x")) AND y.live AND y.scope = ANY($\(shape.keyColumns.count + 1)))
            """, parameters)
        return (0..<result.rowCount).map { shape.row(result, $0) }
    }

    func rows(
        _ table: AttachedTable, after: Key?, limit: Int, in scopes: Set<Scope>, beyond mark: Mark?
    ) throws -> [ComparedCentralRow] {
        let shape = try shape(of: table)
        var selection = try Selection(
            mark.map { .beyond(since: $0, within: nil) } ?? .all, scope: .everything,
            checked: Self.checked)
        let beyond = mark == nil ? "false" : selection.condition
        let keys = shape.trackKeys.map { "x.\($0)" }.joined(separator: ", ")
        var position = ""
        if let after {
            let values = zip(shape.keyColumns, after.values).map { column, value in
                Self.scalar(selection.add(Self.text(value)), column, shape)
            }
            position = "AND (\(keys)) > (\(values.joined(separator: ", ")))"
        }
        let held = selection.add(scopes: scopes)
        let count = selection.add(String(limit))
        let own = shape.keyColumns.enumerated().map { index, column in
            "\(shape.tracked("t", column)) = x.k\(index)"
        }
        let result = try link.query(
            """
            SELECT \(shape.keyReadings("x")),
              (x.live AND t.\(shape.column(shape.keyColumns[0])) IS NOT NULL)::int4::int8,
              (\(beyond))::int4::int8, \(shape.readings("t"))
            FROM (
              SELECT * FROM \(shape.track) x
              WHERE x.scope = ANY(\(held)) AND $1::text IS NOT NULL AND (x.live OR \(beyond)) \(position)
              ORDER BY \(keys) LIMIT \(count)::int8) x
            LEFT JOIN \(shape.name) t ON \(own.joined(separator: " AND "))
            ORDER BY \(keys)
            """, selection.parameters)
        let first = shape.keyColumns.count
        return (0..<result.rowCount).map { row in
            ComparedCentralRow(
                key: shape.key(result, row),
                values: result.integer(row, first) == 1
                    ? shape.row(result, row, from: first + 2) : nil,
                isBeyondMark: result.integer(row, first + 1) == 1)
        }
    }

    // MARK: Scalars

    /// A key's value as text that a cast reads back.
    private static func text(_ value: Value) -> String? {
        switch value {
        case .null: nil
        case .integer(let number): String(number)
        case .real(let number): number.description
        case .text(let text): text
        case .blob(let bytes): "\\x" + bytes.map { hex[Int($0)] }.joined()
        }
    }

    private static let hex = (0..<256).map { byte in
        let text = String(byte, radix: 16)
        return text.utf8.count == 1 ? "0" + text : text
    }

    private static func scalar(_ parameter: String, _ column: Int, _ shape: TableShape) -> String {
        "\(parameter)::text::\(shape.trackType(column))"
    }
}

/// A tracking query as a condition; `$1` is the scope.
private struct Selection {
    private(set) var parameters = Parameters()
    let condition: String
    let isByVersion: Bool
    let isEnteredBefore: String

    init(_ query: TrackingQuery, scope: Scope, checked: (Mark) throws -> String) throws {
        parameters.add(scope.name, type: 25)
        func beyond(_ mark: String) -> String {
            """
            (x.version >= pg_snapshot_xmin(\(mark)::pg_snapshot)
             AND NOT pg_visible_in_snapshot(x.version, \(mark)::pg_snapshot))
            """
        }
        func shows(_ mark: String, _ column: String) -> String {
            "pg_visible_in_snapshot(x.\(column), \(mark)::pg_snapshot)"
        }
        switch query {
        case .beyond(let since, let target):
            parameters.add(try checked(since), type: 25)
            var condition = beyond("$2")
            if let target {
                parameters.add(try checked(target), type: 25)
                condition += " AND " + shows("$3", "version")
            }
            self.condition = condition
            isByVersion = true
            isEnteredBefore = shows("$2", "entered")
        case .fromNothing(let heldAt, let target):
            var condition = "x.live"
            var entered = "false"
            if let heldAt {
                parameters.add(try checked(heldAt), type: 25)
                condition = "(x.live OR \(beyond("$2")))"
                entered = shows("$2", "entered")
            }
            if let target {
                parameters.add(try checked(target), type: 25)
                condition += " AND " + shows("$\(parameters.count)", "version")
            }
            self.condition = condition
            isByVersion = false
            isEnteredBefore = entered
        case .all:
            condition = "true"
            isByVersion = false
            isEnteredBefore = "false"
        }
    }

    /// Adds one more argument, as text, and gives its place.
    mutating func add(_ text: String?) -> String {
        parameters.add(text, type: 25)
        return "$\(parameters.count)"
    }

    mutating func add(scopes: Set<Scope>) -> String {
        parameters.add(texts: scopes.sorted().map(\.name))
        return "$\(parameters.count)"
    }
}
