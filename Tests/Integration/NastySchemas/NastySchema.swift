import MoorageCore
import Testing

/// A schema that an owner might have: tables, objects around them, and edits of their rows.
///
/// Each table has rows 20 and 21, which do not change and which other rows refer to. It also has
/// rows 1 to 9. Device A, device B and the centre each update one of them, give one another key,
/// and delete one.
struct NastySchema: Sendable, CustomTestStringConvertible {
    let name: String
    let tables: [NastyTable]
    /// Statements that run before the tables are made, and after that.
    var before: @Sendable (CentreKind) -> [String] = { _ in [] }
    var after: @Sendable (CentreKind) -> [String] = { _ in [] }
    /// Further statements after the first rows, in addition to those that every table gets.
    var atA: [String] = []
    var atB: [String] = []
    var atCentre: [String] = []
    /// Tables and views that attaching skips with a reason.
    var passedOver: @Sendable (CentreKind) -> [String] = { _ in [] }
    /// Tables to which triggers, or the statements above, add rows.
    var growing: [String] = []
    /// Tables that ``after`` makes and that sync as well.
    var others: [String] = []
    /// The rows in a page of a device's clone; `nil` for the default.
    var pageRows: Int? = 50
    /// Whether the test compares a dump after the first attach with one after the second by day,
    /// too. Each dump starts a program.
    var isDumpedAttached = false

    var testDescription: String { name }

    static let anchors = [20, 21]
    static let first = anchors + Array(1...9)

    func statements(_ kind: CentreKind) -> [String] {
        let all = tables.map { $0.statements(kind) }
        return before(kind) + all.map(\.table) + all.flatMap(\.others) + after(kind)
    }

    private func table(_ name: String) -> NastyTable? {
        tables.first { $0.name.hasSameBytes(as: name) }
    }

    // MARK: Rows

    /// Row `n` of a table. Its references refer to row 20 or row 21.
    func row(_ n: Int, of table: NastyTable, _ kind: CentreKind) -> [Value] {
        var row = table.columns.map { $0.type.value(n, kind) }
        for reference in table.references { refer(&row, n, n, reference, table, kind) }
        return row
    }

    private func refer(
        _ row: inout [Value], _ n: Int, _ parent: Int, _ reference: NastyReference,
        _ table: NastyTable, _ kind: CentreKind
    ) {
        guard let above = self.table(reference.table) else { return }
        let isAnchor = Self.anchors.contains(n)
        let isOwn = above.name.hasSameBytes(as: table.name)
        // Computed only when needed, because tables may refer to each other in a circle.
        lazy var values = self.row(20 + parent % 2, of: above, kind)
        for (name, key) in zip(reference.columns, reference.keys) {
            let column = table.column(name)
            let isRequired = !table.columns[column].isNullable || table.isKey(column)
            if isAnchor, !isRequired {
                row[column] = .null
            } else if isOwn {
                let own = above.columns[above.column(key)].type.value(20 + parent % 2, kind)
                row[column] = isAnchor ? row[column] : own
            } else {
                row[column] = values[above.column(key)]
            }
        }
    }

    /// Row `n` with another row's values outside the key, and with references to the other anchor
    /// row.
    func updated(_ n: Int, of table: NastyTable, _ kind: CentreKind) -> [Value] {
        let other = row(n + 40, of: table, kind)
        var row = row(n, of: table, kind)
        for column in table.columns.indices where !table.isKey(column) {
            row[column] = other[column]
        }
        for reference in table.references {
            let isWithKey = reference.columns.contains { table.isKey(table.column($0)) }
            refer(&row, n, isWithKey ? n : n + 1, reference, table, kind)
        }
        return row
    }

    // MARK: Edits

    /// Row `n` with the key of another row.
    private func moved(_ n: Int, of table: NastyTable, _ kind: CentreKind) -> [Value] {
        let other = row(n + 30, of: table, kind)
        var row = row(n, of: table, kind)
        for column in table.columns.indices where table.isKey(column) {
            row[column] = other[column]
        }
        return row
    }

    /// The edits of every table: an insert, an update, a change of the key, and a delete.
    ///
    /// - Parameters:
    ///   - part: 0 for device A, 1 for device B, 2 for the centre.
    ///   - kind: The database whose SQL the edits use. The values are those of `centre`.
    func edits(part: Int, at kind: CentreKind, centre: CentreKind) -> [String] {
        let start = 1 + part * 3
        var result = tables.map { table in
            insert(row(10 + part, of: table, centre), into: table, kind)
        }
        for table in tables {
            if table.columns.count > table.key.count {
                result.append(
                    update(
                        table, row(start, of: table, centre), to: updated(start, of: table, centre),
                        kind))
            }
            result.append(
                update(
                    table, row(start + 1, of: table, centre),
                    to: moved(start + 1, of: table, centre),
                    kind))
            result.append(
                "DELETE FROM \(NastySQL.name(table.name)) WHERE "
                    + condition(table, row(start + 2, of: table, centre), kind))
        }
        return result
    }

    /// Conditions on the key for the rows that remain after the edits of all three parts, and for
    /// the rows that do not.
    func outcome(_ table: NastyTable, at kind: CentreKind, centre: CentreKind) -> (
        here: [String], gone: [String]
    ) {
        func key(_ row: [Value]) -> String { condition(table, row, kind) }
        var (here, gone): ([String], [String]) = ([], [])
        for part in 0...2 {
            let start = 1 + part * 3
            let (old, new) = (
                row(start + 1, of: table, centre), moved(start + 1, of: table, centre)
            )
            here += [
                key(row(10 + part, of: table, centre)), key(row(start, of: table, centre)),
                key(new),
            ]
            gone.append(key(row(start + 2, of: table, centre)))
            if key(old) != key(new) { gone.append(key(old)) }
        }
        return (here, gone)
    }

    /// Conditions on the key for the rows whose values the edits change. A table with nothing but a
    /// key has none.
    func updates(_ table: NastyTable, at kind: CentreKind, centre: CentreKind) -> [String] {
        guard table.columns.count > table.key.count else { return [] }
        return [1, 4, 7].compactMap { n in
            let old = row(n, of: table, centre)
            return old == updated(n, of: table, centre) ? nil : condition(table, old, kind)
        }
    }

    func insert(_ row: [Value], into table: NastyTable, _ kind: CentreKind) -> String {
        """
        INSERT INTO \(NastySQL.name(table.name)) (\(NastySQL.names(table.columns.map(\.name)))) \
        VALUES (\(row.map { NastySQL.literal($0, kind) }.joined(separator: ", ")))
        """
    }

    private func update(
        _ table: NastyTable, _ row: [Value], to new: [Value], _ kind: CentreKind
    ) -> String {
        let assignments = table.columns.indices.filter { row[$0] != new[$0] }.map {
            "\(NastySQL.name(table.columns[$0].name)) = \(NastySQL.literal(new[$0], kind))"
        }
        return """
            UPDATE \(NastySQL.name(table.name)) SET \(assignments.joined(separator: ", ")) \
            WHERE \(condition(table, row, kind))
            """
    }

    private func condition(_ table: NastyTable, _ row: [Value], _ kind: CentreKind) -> String {
        table.key.map { name in
            "\(NastySQL.name(name)) = \(NastySQL.literal(row[table.column(name)], kind))"
        }.joined(separator: " AND ")
    }
}
