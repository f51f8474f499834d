package import MoorageCore

/// A row as it goes to a program, with the rows that were asked for with it.
package struct RowContent: Sendable {
    /// A value for each column of the table.
    package let values: [Value]
    /// What distinguishes the row from other versions of it: its fingerprint.
    package let etag: String
    /// By the names of their relations, in the order in which they were asked for.
    package private(set) var related: [(relation: RowRelation, rows: RelatedRows)] = []
    /// What the row adds to an answer, with its related rows.
    private(set) var size: AnswerSize

    init(_ values: [Value], of table: RowTable) {
        self.values = values
        etag = table.description.fingerprint(of: values)
        size = AnswerSize(rows: 1, bytes: values.byteCount)
    }

    mutating func add(_ rows: RelatedRows, by relation: RowRelation) {
        related.append((relation, rows))
        for row in rows.rows { size.add(row.size) }
    }

    /// Bytes of its related rows.
    var relatedBytes: Int { size.bytes - values.byteCount }
}

/// How much of an answer rows are. A related row counts once for each row that it is related to.
struct AnswerSize: Sendable {
    var rows: Int
    var bytes: Int

    mutating func add(_ other: AnswerSize) {
        rows += other.rows
        bytes += other.bytes
    }

    mutating func subtract(_ other: AnswerSize) {
        rows -= other.rows
        bytes -= other.bytes
    }

    var isExceeded: Bool { rows < 0 || bytes < 0 }
}

/// The rows that belong to a row by one relation.
package struct RelatedRows: Sendable {
    package let table: RowTable
    /// At most one, unless the relation has many.
    package let rows: [RowContent]
}

/// Which related rows to read with a row: names of relations, each with what to read with its own
/// rows.
package struct RelatedTree: Hashable, Sendable {
    package let name: String
    package var children: [RelatedTree]

    package init(name: String, children: [RelatedTree] = []) {
        self.name = name
        self.children = children
    }

    var depth: Int { 1 + (children.map(\.depth).max() ?? 0) }
}

/// What a list is to contain.
package struct RowList: Sendable {
    package var table: RowTable
    package var filter: RowFilter?
    /// Columns by name; the key's columns follow by themselves.
    package var order: [(column: String, isDescending: Bool)] = []
    /// The ``RowPage/next`` of the page before.
    package var after: String?
    package var related: [RelatedTree] = []
    package var limit: Int
    /// Whether to count all rows that meet the filter.
    package var isCounted = false

    package init(of table: RowTable, limit: Int) {
        self.table = table
        self.limit = limit
    }
}

/// Some rows of a list, in its order.
package struct RowPage: Sendable {
    package let rows: [RowContent]
    /// Where the next page begins; `nil` after the last row.
    package let next: String?
    /// How many rows meet the filter, counted no further than ``RowReader/mostCounted``. `nil`
    /// where nobody asked.
    package let count: Int?
}
