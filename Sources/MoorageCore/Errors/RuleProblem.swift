/// Why rules do not fit a table: full sentences that name table and column, with what to do
/// (docs/reference/errors.md, Configuration that does not fit the tables).
enum RuleProblem {
    // MARK: Columns

    static func columnRuleMergedByRow(_ column: String, of table: TableDescription) -> String {
        """
        The table \(table.name) is merged by row, and \(table.name).\(column) has a rule \
        of its own. Leave that rule out, or set the granularity to column.
        """
    }

    static func unknownColumn(_ column: String, of table: TableDescription) -> String {
        """
        There is a rule for \(table.name).\(column), which is no column. Correct its name; \
        the columns are \(names(of: table)).
        """
    }

    static func keyColumn(_ column: String, of table: TableDescription) -> String {
        neverInConflict(column, of: table, "part of the key")
    }

    static func generatedColumn(_ column: String, of table: TableDescription) -> String {
        neverInConflict(column, of: table, "generated")
    }

    private static func neverInConflict(
        _ column: String, of table: TableDescription, _ what: String
    ) -> String {
        "\(table.name).\(column) is \(what) and never in conflict. Leave its rule out."
    }

    static func keepBoth(forColumn column: String, of table: TableDescription) -> String {
        let name = "\(table.name).\(column)"
        return """
            The rule keepBoth is one of whole rows, and \(name) is a column. Set it for the table \
            \(table.name), or choose another rule for the column.
            """
    }

    /// - Parameter wanted: What the rule is for, such as ``numbers``.
    static func wrongType(
        of column: ColumnDescription, of table: TableDescription, for rule: MergeRule,
        wanted: String
    ) -> String {
        let name = "\(table.name).\(column.name)"
        return """
            The rule \(rule.name) is for \(wanted), and \(name) is of type \(column.type.name). \
            Give \(name) a rule of its own that fits, such as newest.
            """
    }

    static let numbers = "numbers"
    static let orderedValues = "numbers, dates and times"
    static let arrays = "JSON arrays"
    static let text = "text"

    // MARK: Whole rows

    static func combinesMergedByRow(_ rule: MergeRule, _ table: TableDescription) -> String {
        """
        The rule \(rule.name) makes one value of two, and the table \(table.name) is merged \
        by row. Use newest, server, client, keepBoth or a handler, or granularity column.
        """
    }

    /// What keeps both rows: the beginning of a sentence.
    enum KeepBoth: String {
        case rule = "The rule keepBoth"
        case inserts = "To keep both of two inserts"
    }

    static func keepBothNeedsOneColumn(_ what: KeepBoth, _ table: TableDescription) -> String {
        """
        \(what.rawValue) needs a key of one column, and the table \(table.name) has \
        \(table.primaryKey.count): \
        \(table.primaryKey.map { table.columns[$0].name }.joined(separator: ", ")). \(otherRule)
        """
    }

    static func keepBothOfReference(
        _ what: KeepBoth, _ column: ColumnDescription, of table: TableDescription
    ) -> String {
        """
        \(what.rawValue) gives rows new keys, and \(table.name).\(column.name) refers to \
        another table. \(otherRule)
        """
    }

    static func keepBothOfType(
        _ what: KeepBoth, _ column: ColumnDescription, of table: TableDescription
    ) -> String {
        """
        \(what.rawValue) makes new keys of type uuid, text or integer, and \
        \(table.name).\(column.name) is of type \(column.type.name). \(otherRule)
        """
    }

    private static let otherRule = "Choose another rule for the table."

    // MARK: Inserts, deletes and keys

    static func insertsUndecided(by rule: MergeRule, _ table: TableDescription) -> String {
        """
        Two inserts of one key of the table \(table.name) go by \(rule.name), which cannot \
        decide them. Use newest, server, client or keepBoth.
        """
    }

    static func deletesUndecided(by rule: MergeRule, _ table: TableDescription) -> String {
        """
        The deletes of the table \(table.name) go by \(rule.name), which cannot decide them. \
        Use newest, server or client.
        """
    }

    static func keyBlockNeedsInteger(_ table: TableDescription) -> String {
        """
        The table \(table.name) is to hand out keys, and its key is not one integer column of \
        its own. Leave keyBlock out.
        """
    }

    static func keyBlockOutOfRange(
        _ keyBlock: Int, _ table: TableDescription, most: Int
    ) -> String {
        """
        A block of \(keyBlock) keys of the table \(table.name) cannot be handed out. Use 1 to \
        \(most).
        """
    }

    // MARK: Columns for deleted rows and times

    static func noSoftDeleteColumn(_ column: String, in table: TableDescription) -> String {
        missing(column, as: "mark of deleted rows", table)
    }

    static func softDeleteType(
        _ column: ColumnDescription, of table: TableDescription
    ) -> String {
        """
        \(table.name).\(column.name) is to mark deleted rows and is of type \(column.type.name). \
        Use a boolean, an integer, a date or a timestamp.
        """
    }

    static func noTimeColumn(_ column: String, in table: TableDescription) -> String {
        missing(column, as: "time of the last edit", table)
    }

    static func timeType(_ column: ColumnDescription, of table: TableDescription) -> String {
        """
        \(table.name).\(column.name) is to be the time of the last edit and is of type \
        \(column.type.name). Use a timestamp, a date or a number.
        """
    }

    private static func missing(
        _ column: String, as what: String, _ table: TableDescription
    ) -> String {
        """
        The table \(table.name) has no column \(column), which is to be the \(what). \
        Correct its name; the columns are \(names(of: table)).
        """
    }

    private static func names(of table: TableDescription) -> String {
        table.columns.map(\.name).joined(separator: ", ")
    }

    // MARK: Handlers

    /// - Parameter place: The column, or `the table` with its name.
    static func handlerWithoutName(_ place: String) -> String {
        "The handler of \(place) has no name. Give it one: the conflict log names it."
    }

    /// - Parameter place: The column, or `the table` with its name.
    static func handlerTime(_ limit: Duration, of handler: String, _ place: String) -> String {
        """
        The handler \(handler) of \(place) may take \(limit). Set a time limit of up to 60 \
        seconds: the rows of its batch are locked meanwhile.
        """
    }

    // MARK: SQL rules

    static func expressionTooLong(most bytes: Int) -> String {
        "The SQL expression is longer than \(bytes) bytes. Shorten it."
    }

    /// - Parameter fault: What the expression does, and what to do, without the last full stop.
    static func expression(_ fault: String) -> String { "The SQL expression \(fault)." }

    static let expressionWithoutValues =
        "The SQL expression names none of base, mine and theirs. Use one of them."

    static let openBracket = "has a bracket that is not closed. Close it"
    static let unopenedBracket = "has a bracket that was not opened. Leave it out"
    static let severalStatements = "has a `;`. Write one expression, no statements"
}
