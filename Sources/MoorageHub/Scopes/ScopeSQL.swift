public import MoorageCore

/// How a connector writes the parts of ``ScopeSQL`` that differ.
public protocol ScopeDialect {
    /// A table of the owner's, as statements name it.
    func table(_ name: String) -> String
    /// A column's name, quoted as statements name it.
    func column(_ name: String) -> String
    /// A column's value as the text that names a scope. It is the same on every database; NULL for
    /// what is not a value of the type.
    func text(_ column: String, _ type: ColumnType) -> String
    /// How long a text is, in bytes.
    func byteCount(_ text: String) -> String
    /// A constant of type text.
    func literal(_ text: String) -> String
    /// A condition's value, to be compared with its column.
    func literal(_ value: String, _ type: ColumnType) -> String
    /// A column's value as a filter compares it with a ``constant(_:_:)``: numbers as numbers,
    /// everything else by its bytes. It is NULL for NULL and for what is not a value of the type.
    /// Whatever becomes of the column, it fails no statement of the owner's.
    func comparable(_ column: String, _ type: ColumnType) -> String
    /// A filter's constant. A number has only digits, `-` and `.`; a flag is `true` or `false`. A
    /// UUID and a date are in their normal form.
    func constant(_ value: String, _ type: ColumnType) -> String
}

/// A scope path in SQL: its tables are `l0`, `l1`, … from the table itself upwards, the members
/// `m`.
public struct ScopeSQL {
    /// The path that this writes as SQL.
    public let path: ScopePath
    private let dialect: any ScopeDialect

    /// - Parameter dialect: Writes the parts that differ between databases.
    public init(_ path: ScopePath, in dialect: any ScopeDialect) {
        self.path = path
        self.dialect = dialect
    }

    /// The table, joined with all tables above it.
    public var joined: String { below(path.levels.count) + members }

    /// The first levels, without those from `level` on.
    public func below(_ level: Int) -> String {
        var sql = "\(table(0)) AS l0"
        for upper in 1..<max(1, min(level, path.levels.count)) { sql += join(upper) }
        return sql
    }

    /// The rest of ``joined``, for a statement that names the table itself.
    public var above: String {
        path.levels.indices.dropFirst().map(join).joined() + members
    }

    private func join(_ level: Int) -> String {
        guard let link = path.levels[level - 1].link else { return "" }
        return " JOIN \(table(level)) AS l\(level) ON "
            + equal("l\(level)", link.referenced, "l\(level - 1)", link.columns)
    }

    private var members: String {
        guard case .members(let members) = path.source else { return "" }
        return " JOIN \(dialect.table(members.table)) AS m ON "
            + equal(
                "l\(path.levels.count - 1)", members.link.referenced, "m", members.link.columns)
    }

    /// The table of a level, as statements name it.
    ///
    /// - Parameter level: A position in the levels of ``path``; 0 is the table itself.
    public func table(_ level: Int) -> String { dialect.table(path.levels[level].table) }

    /// Rows are in the scope only where this is true.
    public var condition: String {
        var conditions = path.levels.enumerated().flatMap { self.conditions(of: $1, "l\($0)") }
        if let value { conditions.append("\(dialect.byteCount(value)) <= \(limit)") }
        return conditions.isEmpty ? "1 = 1" : conditions.joined(separator: " AND ")
    }

    private func conditions(of level: ScopePath.Level, _ row: String) -> [String] {
        let equalities = level.conditions.map { condition in
            "\(row).\(dialect.column(condition.column)) = "
                + dialect.literal(condition.value, condition.type)
        }
        return equalities + level.filters.map { $0.sql(of: row, in: dialect) }
    }

    private var limit: Int { ScopeRule.maximumValueBytes }

    /// The scope's name.
    public var scope: String {
        switch path.source {
        case .everyone: dialect.literal(Scope.everything.name)
        case .column(let kind, _, _): named(kind)
        case .members(let members): named(members.kind)
        }
    }

    private func named(_ kind: String) -> String {
        "\(dialect.literal(kind + "/")) || \(value ?? "NULL")"
    }

    private var value: String? {
        switch path.source {
        case .everyone: nil
        case .column(_, let column, let type):
            dialect.text("l\(path.levels.count - 1).\(dialect.column(column))", type)
        case .members(let members):
            dialect.text("m.\(dialect.column(members.column))", members.type)
        }
    }

    /// Compares columns of two rows one by one. The columns that a foreign key refers to are on the
    /// left: SQLite compares by the collation of that side, as the foreign key does.
    public func equal(
        _ left: String, _ leftColumns: [String], _ right: String, _ rightColumns: [String]
    ) -> String {
        zip(leftColumns, rightColumns).map {
            "\(left).\(dialect.column($0)) = \(right).\(dialect.column($1))"
        }.joined(separator: " AND ")
    }
}
