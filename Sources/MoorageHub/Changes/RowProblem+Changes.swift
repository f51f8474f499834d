extension RowProblem {
    static let expired = RowProblem(
        .expired, "expired",
        """
        This position is unknown, or too old, or no position of these tables, columns and scopes. \
        Read everything again, without a position.
        """)

    static let longKeyOfChange = RowProblem(
        .malformed, "parameter",
        """
        The key of a row is too long for a position. Leave its table out, with the parameter \
        `tables`.
        """)
}
