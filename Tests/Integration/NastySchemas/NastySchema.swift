import MoorageCore
import Testing

/// A schema that somebody might have: tables, what stands around them, and what is done to their rows.
///
/// Each table has rows 20 and 21, which stay as they are and which others refer to, and rows 1 to 9; three
/// each are for device A, device B and the centre to update, to give another key, and to delete.
struct NastySchema: Sendable, CustomTestStringConvertible {
    let name: String
    let tables: [NastyTable]
    /// What is made before the tables, and after them.
    var before: @Sendable (CentreKind) -> [String] = { _ in [] }
    var after: @Sendable (CentreKind) -> [String] = { _ in [] }
    /// Statements beside those that every table gets, after the first rows.
    var atA: [String] = []
    var atB: [String] = []
    var atCentre: [String] = []
    /// Tables, and what is listed as one, that attaching passes over with a reason.
    var passedOver: @Sendable (CentreKind) -> [String] = { _ in [] }
    /// Tables to which triggers, or the statements above, add rows.
    var growing: [String] = []
    /// Tables that ``after`` makes and that are synced as well.
    var others: [String] = []
    /// Of the pages in which devices are cloned; `nil` for the default.
    var pageRows: Int? = 50
    /// Whether a dump after the first attach is compared with one after the second by day, too: each is a
    /// program of its own.
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

    /// Row `n` of a table; what refers to others refers to one of their rows 20 and 21.
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
        // Only what is needed of it: tables may refer to each other in a circle.
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

    /// Row `n` with all that is no key as in another row, and its references to the other of two rows.
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

    /// Row `n` with the key of another.
    private func moved(_ n: Int, of table: NastyTable, _ kind: CentreKind) -> [Value] {
        let other = row(n + 30, of: table, kind)
        var row = row(n, of: table, kind)
        for column in table.columns.indices where table.isKey(column) {
            row[column] = other[column]
        }
        return row
    }

    /// What is done to every table: an insert, an update, a change of the key, a delete.
    ///
    /// - Parameters:
    ///   - part: 0 for device A, 1 for device B, 2 for the centre.
    ///   - kind: In whose SQL; the rows are the centre's.
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

    /// By conditions on the key, which rows of a table the edits of all three parts leave, and which they do not.
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

    /// By conditions on the key, the rows that the edits give other values, where a table has any but its key.
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
