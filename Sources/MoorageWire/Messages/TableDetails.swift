/// What code generators and tools want to know of a table, and replicas do not need.
///
/// It is no part of the schema's version: a changed comment makes no replica adopt the schema again.
package struct TableDetails: Hashable, Sendable {
    /// What the owner says of the table.
    package let comment: String?
    /// The conditions of the table's check constraints, as the database writes them.
    package let checks: [String]
    /// The indexes that are not unique, each as positions of its columns in the index's order.
    package let indexes: [[Int]]
    /// By the column's position; a column without details is missing.
    package let columns: [Int: ColumnDetails]

    package init(
        comment: String? = nil, checks: [String] = [], indexes: [[Int]] = [],
        columns: [Int: ColumnDetails] = [:]
    ) {
        self.comment = comment
        self.checks = checks
        self.indexes = indexes
        self.columns = columns.filter { $0.value != ColumnDetails() }
    }

    /// The longest comment, check, type or label, in bytes.
    package static let maximumTextBytes = 2_000
    /// The most checks of a table.
    package static let maximumChecks = 200
    /// The most indexes of a table.
    package static let maximumIndexes = 200
}

/// What code generators and tools want to know of a column, and replicas do not need.
package struct ColumnDetails: Hashable, Sendable {
    /// The name of the column's type, as the database writes it: `varchar(40)`.
    package let original: String?
    /// What the owner says of the column.
    package let comment: String?
    /// The only texts that the column accepts; empty where it accepts others.
    package let labels: [String]
    /// Whether the column contains a reference to a file, as the hub's configuration says.
    package let isFile: Bool

    package init(
        original: String? = nil, comment: String? = nil, labels: [String] = [],
        isFile: Bool = false
    ) {
        self.original = original
        self.comment = comment
        self.labels = labels
        self.isFile = isFile
    }

    /// The most labels of a column.
    package static let maximumLabels = 1_000
}
