import MoorageCore

/// What is wrong with a manifest, or with the changes of a client that tracks nothing.
extension RESTProblem {
    static let noManifest = malformed(
        "A manifest is an object with `tables`, which is an object with a member for each table.")

    static func noTableManifest(_ table: String) -> RESTProblem {
        malformed(
            """
            A manifest of \(table) has `rows`, which is an array, with or without `after`, `upTo`, \
            `limit`, `modified` and `digest`. Or it has `ranges`, which is an array, and nothing \
            else.
            """)
    }

    static let noManifestEntry = malformed(
        """
        A row of a manifest is an object with `key`, and with or without `version`, `modified` or \
        `digest`, and `synced` or `deleted`, which are `true` or `false`. It has one of the first \
        three, and a row that the client deleted is not `synced`.
        """)

    static let noManifestRange = malformed(
        "A range is an object with `digest`, and with or without `after` and `upTo`.")

    static func wrongManifestLimit(_ range: ClosedRange<Int>) -> RESTProblem {
        malformed("`limit` is a number from \(range.lowerBound) to \(range.upperBound).")
    }

    static func noModified(in table: String) -> RESTProblem {
        malformed(
            """
            A row of \(table) has `modified`, but its table does not name the column. Write the \
            column's name as `modified` beside `rows`.
            """)
    }

    static func noDigested(in table: String) -> RESTProblem {
        malformed(
            """
            A row of \(table) has `digest`, but its table does not name the columns. Write their \
            names as `digest` beside `rows`.
            """)
    }

    static func noTime(_ column: ColumnDescription, of table: String) -> RESTProblem {
        malformed(
            """
            The column \(table).\(column.name) is \(column.type.name). A column that says when a \
            row was changed is an integer, a date or a time with its date.
            """)
    }

    static func notDigested(_ column: ColumnDescription, of table: String) -> RESTProblem {
        malformed(
            """
            The column \(table).\(column.name) is \(column.type.name). Two programs may write \
            such a value in two ways, so it has no digest. Leave it out.
            """)
    }

    static func tooManyTables(most count: Int) -> RESTProblem {
        RESTProblem(
            status: 413, code: "tooManyTables",
            detail: "The request has more than \(count) tables. Send several requests.")
    }

    static func tooManyEntries(most count: Int) -> RESTProblem {
        RESTProblem(
            status: 413, code: "tooManyRead",
            detail: "The request names more than \(count) rows. Send several requests.")
    }

    static func tooManyRanges(most count: Int) -> RESTProblem {
        RESTProblem(
            status: 413, code: "tooManyRead",
            detail: "The request has more than \(count) ranges. Send several requests.")
    }

    // MARK: Changes

    static let noChanges = malformed(
        """
        The changes of a client are an object with `tables`, which is an object with a member for \
        each table, and with or without `atomic`, which is `true` or `false`.
        """)

    static func noTableChanges(_ table: String) -> RESTProblem {
        malformed(
            """
            The changes of \(table) are an object with the arrays `add`, `update`, `delete` and \
            `get`, and `related`, which is an array of names. Each may be missing.
            """)
    }

    static let noChangedKey = malformed(
        "A row to delete or to get is its key, or an object with `key` and `version`.")

    static func noRelated(_ relation: String, isMany: Bool) -> RESTProblem {
        malformed(
            isMany
                ? "`$related` has the rows of \(relation) as an array of objects."
                : "`$related` has the row of \(relation) as an object, or `null`.")
    }
}
