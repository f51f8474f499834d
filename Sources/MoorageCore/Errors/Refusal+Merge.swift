/// Why a merge refuses a change (docs/reference/errors.md, Refused changes).
extension Refusal {
    static let rowDeleted = Refusal(
        code: .gone, message: "The row was deleted at the server. Your values are kept.")

    static let deletedRowComesBack = Refusal(
        code: .resurrect,
        message: "The row was deleted at the server. The device sends it again as a whole.")

    /// A rule's answer sets a column that it may not set.
    static func forbiddenColumn(
        _ column: String, of table: TableDescription, setBy rule: MergeRule
    ) -> Refusal {
        Refusal(
            code: .rule,
            message:
                "The rule \(rule.name) answered with \(table.name).\(column), which it cannot set.")
    }

    /// A rule's answer has a value that the column cannot have.
    static func wrongType(
        _ value: Value, for column: ColumnDescription, of table: TableDescription,
        setBy rule: MergeRule
    ) -> Refusal {
        Refusal(
            code: .rule,
            message: """
                The rule \(rule.name) answered with \(value.kindName) for \
                \(table.name).\(column.name), which is of type \(column.type.name).
                """)
    }

    static func overflow(_ column: ColumnDescription, of table: TableDescription) -> Refusal {
        Refusal(
            code: .overflow,
            message: "The sum is more than \(table.name).\(column.name) can store.")
    }
}

/// A merge without a database refuses these by itself.
extension MergeAnswer {
    static func ruleNeedsDatabase(_ rule: MergeRule) -> MergeAnswer {
        .reject("The rule \(rule.name) needs the central database.")
    }

    static func ruleFailed(_ rule: MergeRule) -> MergeAnswer {
        .reject("The rule \(rule.name) failed.")
    }
}
