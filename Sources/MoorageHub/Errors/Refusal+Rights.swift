import MoorageCore

/// Changes that the user, or a device at all, may not make.
extension Refusal {
    static func mayNotUse(_ table: String) -> Refusal { forbidden("read or write \(table)") }

    static func mayNotInsert(into table: String) -> Refusal { forbidden("insert into \(table)") }

    static func mayNotUpdate(_ table: String) -> Refusal { forbidden("update \(table)") }

    static func mayNotDelete(from table: String) -> Refusal { forbidden("delete from \(table)") }

    static func mayNotChange(_ column: String, of table: String) -> Refusal {
        forbidden("change the column \(column) of \(table)")
    }

    static func mayNotSet(_ columns: [String], of table: String) -> Refusal {
        forbidden("set these columns of \(table): \(columns.joined(separator: ", "))")
    }

    static func mayNotWriteRow(of table: String) -> Refusal {
        Refusal(
            code: .permission,
            message: "This row of \(table) is outside what the user of this replica may write.")
    }

    private static func forbidden(_ what: String) -> Refusal {
        Refusal(
            code: .permission,
            message: """
                The user of this replica may not \(what). Ask whoever runs the hub for the right.
                """)
    }

    // MARK: Down only

    static func tableFromHubAlone(_ table: String) -> Refusal {
        Refusal(
            code: .readOnly,
            message: """
                The table \(table) comes from the hub alone, and the hub refuses changes of it. \
                Change it in the central database.
                """)
    }

    static func columnFromHubAlone(_ column: String, of table: String) -> Refusal {
        Refusal(
            code: .readOnly,
            message: """
                The column \(table).\(column) comes from the hub alone, and the hub refuses edits \
                of it. Change it in the central database.
                """)
    }
}
