import MoorageCore

/// What is wrong with the writes of a batch.
extension RESTProblem {
    static let noBatch = malformed(
        """
        A batch is an object with `operations`, which is an array, and with or without `atomic`, \
        which is `true` or `false`.
        """)

    static let noOperation = malformed(
        """
        An operation is an object with `op`, `table`, and `key` or `row`. `op` is `insert`, \
        `update`, `upsert`, `replace` or `delete`, and all but `delete` need `row`.
        """)

    static let notWritten = RESTProblem(
        status: 424, code: "notWritten",
        detail: "Another write of the request failed, and so this one was not carried out.")

    static func wrongKey(of table: TableDescription) -> RESTProblem {
        malformed(
            """
            The key of \(table.name) is \(table.keyNames.joined(separator: ", ")). Write one value, \
            or an array with a value for each column.
            """)
    }
}
