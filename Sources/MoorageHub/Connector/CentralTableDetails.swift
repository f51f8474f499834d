/// What an owner wrote about a table beyond what replicas need. The database's own words, for tools
/// that generate code.
public struct CentralTableDetails: Hashable, Sendable {
    /// The table's name, as in ``CentralTable``.
    public let name: String
    /// The owner's comment; empty without one.
    public var comment: String
    /// The conditions of its check constraints, as the database writes them. It leaves out those
    /// that the database does not enforce.
    public var checks: [String]
    /// The columns of each index that is not unique, by name and in the index's order. It leaves
    /// out indexes of some rows, of expressions and of parts of columns. It also leaves out those
    /// that find no value in order, such as full text.
    public var indexes: [[String]]
    /// All columns of the table, whether they are synced or not. From their names the hub knows
    /// which checks speak of columns that nobody may see.
    public var columns: [CentralColumnDetails]

    /// A table without a comment, checks, indexes or columns, unless arguments say so.
    public init(
        name: String, comment: String = "", checks: [String] = [], indexes: [[String]] = [],
        columns: [CentralColumnDetails] = []
    ) {
        self.name = name
        self.comment = comment
        self.checks = checks
        self.indexes = indexes
        self.columns = columns
    }
}

/// What an owner wrote about a column beyond what replicas need.
public struct CentralColumnDetails: Hashable, Sendable {
    /// The column's name, as in its table's description.
    public let name: String
    /// The name of its type, as the database writes it: `varchar(40)`. Empty without one.
    public let type: String
    /// The owner's comment; empty without one.
    public let comment: String
    /// The labels of its type in their order, where the type is an enumeration; else empty.
    public let labels: [String]

    /// A column without a comment or labels, unless arguments say so.
    public init(name: String, type: String, comment: String = "", labels: [String] = []) {
        self.name = name
        self.type = type
        self.comment = comment
        self.labels = labels
    }
}
