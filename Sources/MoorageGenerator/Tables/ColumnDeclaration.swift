import MoorageCore
import MoorageWire

/// A column of a new table, as a database declares it.
struct ColumnDeclaration {
    let column: ColumnDescription
    let details: ColumnDetails
    let use: ColumnUse
    let dialect: TableDialect

    /// `"title" varchar(160) NOT NULL DEFAULT 'untitled'`
    var definition: String {
        var words = [dialect.name(column.name), typeName]
        if isRowNumber {
            words.append("PRIMARY KEY")
        } else if isRequired {
            words.append("NOT NULL")
        } else if dialect == .mysql, case .instant = column.type {
            // Without the word, an older server makes the column NOT NULL.
            words.append("NULL")
        }
        if let defaultClause { words.append(defaultClause) }
        if dialect == .mysql,
            let comment = details.comment.flatMap({
                dialect.comment($0, maximumCharacters: 1_024)
            })
        {
            words.append("COMMENT " + comment)
        }
        return words.joined(separator: " ")
    }

    /// The column is SQLite's own number of the row, so its declaration is also the primary key.
    var isRowNumber: Bool { dialect == .sqlite && use.isIntegerKey }

    /// The check that accepts the labels alone, as `CheckLabels` of the hub reads it; `nil` without
    /// labels.
    ///
    /// MySQL allows no check of a column that an action of a foreign key writes.
    var check: String? {
        guard column.type == .text, !details.labels.isEmpty,
            dialect != .mysql || !use.isWrittenByAction
        else { return nil }
        let labels = details.labels.compactMap { dialect.literal($0) }
        guard labels.count == details.labels.count else { return nil }
        let (name, list) = (dialect.name(column.name), labels.joined(separator: ", "))
        // PostgreSQL keeps `IN` with one label as an equation, which says nothing of labels.
        return dialect == .postgres && labels.count == 1
            ? "CHECK (\(name) = ANY (ARRAY[\(list)]))" : "CHECK (\(name) IN (\(list)))"
    }

    /// The column in an index that is not unique. In MySQL the index may have only the beginning of
    /// a long text.
    ///
    /// - Parameter width: How many texts and blobs the index has.
    func indexPart(sharedBy width: Int) -> String {
        let name = dialect.name(column.name)
        guard dialect == .mysql, column.type.isLong else { return name }
        let most = min(Self.usualLength, Self.mostKeyCharacters / max(1, width))
        if let mysqlLength, mysqlLength <= most { return name }
        return "\(name)(\(most))"
    }

    /// Nobody computes the value of a generated column in the new table.
    private var isRequired: Bool { use.isPrimary || !(column.isNullable || column.isGenerated) }

    /// The constant default. Nobody knows the expression of another one.
    private var defaultClause: String? {
        if !column.isGenerated, !isRowNumber, case .value(let value) = column.defaultValue,
            !value.isNull, let literal = dialect.literal(value, of: column.type)
        {
            return "DEFAULT " + (isExpression(literal) ? "(\(literal))" : literal)
        }
        guard dialect == .mysql, isRequired, case .instant(let digits) = column.type else {
            return nil
        }
        // Without a default, an older server gives the column one, and changes it with each update.
        return "DEFAULT CURRENT_TIMESTAMP" + Self.mysqlDigits(digits)
    }

    /// Whether the database accepts the literal as a default only as an expression.
    private func isExpression(_ literal: String) -> Bool {
        switch dialect {
        case .sqlite: literal.hasPrefix("CAST(")
        case .postgres: false
        case .mysql: ["LONGTEXT", "LONGBLOB", "JSON"].contains(typeName)
        }
    }
}
