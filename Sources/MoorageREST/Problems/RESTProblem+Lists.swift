/// What is wrong with the parameters of a list.
extension RESTProblem {
    private static let quoting =
        "Put a name with a comma or a point into double quotes, and write a quote in it twice."

    static func wrongFilter(_ message: String) -> RESTProblem {
        RESTProblem(status: 400, code: "filter", detail: message)
    }

    static func wrongLimit(_ range: ClosedRange<Int>) -> RESTProblem {
        parameter(
            """
            The parameter `limit` is a number from \(range.lowerBound) to \(range.upperBound).
            """)
    }

    static let badColumns = parameter(
        "The parameter `columns` is a list of names with commas. \(quoting)")

    static let badTables = parameter(
        "The parameter `tables` is a list of names with commas. \(quoting)")

    static let badSort = RESTProblem(
        status: 400, code: "sort",
        detail: """
            The parameter `sort` is a list of columns with commas, each with or without a `-`. \
            \(quoting)
            """)

    static func tooManySorted(most count: Int) -> RESTProblem {
        RESTProblem(
            status: 400, code: "sort",
            detail: "Rows are sorted by \(count) columns at most. Leave some out.")
    }

    static let badRelations = RESTProblem(
        status: 400, code: "related",
        detail: """
            The parameter `related` is a list of relations with commas. A point leads on to their \
            own relations. \(quoting)
            """)

    static func tooManyRelations(most count: Int) -> RESTProblem {
        RESTProblem(
            status: 400, code: "related",
            detail: "An answer has \(count) relations at most. Leave some out.")
    }
}
