import SQLiteSupport

/// What becomes of a column's values when the app makes it again with another type.
enum ColumnConversion {
    /// An expression for what a value says: a text that is a number becomes that number, and a whole
    /// number an integer.
    static func meaning(of column: String) -> String {
        let number = "CAST(\(column) AS NUMERIC)"
        let integer = "CAST(\(number) AS INTEGER)"
        return """
            CASE WHEN \(isNumber(column))
              THEN CASE WHEN \(integer) = \(number) THEN \(integer) ELSE \(number) END
              ELSE \(column) END
            """
    }

    /// An expression for a value in the form in which a column of another type stores it, as SQLite
    /// itself converts on an insert.
    static func stored(_ value: String, as affinity: Affinity) -> String {
        switch affinity {
        case .blob: value
        case .text:
            "CASE WHEN typeof(\(value)) IN ('integer', 'real') THEN CAST(\(value) AS TEXT) ELSE \(value) END"
        case .integer, .numeric:
            "CASE WHEN \(isNumber(value)) THEN CAST(\(value) AS NUMERIC) ELSE \(value) END"
        case .real:
            "CASE WHEN \(isNumber(value)) THEN CAST(\(value) AS REAL) ELSE \(value) END"
        }
    }

    /// SQLite takes a text for a number where it compares it with one, if it is one.
    private static func isNumber(_ value: String) -> String {
        "typeof(\(value)) <> 'blob' AND CAST(\(value) AS NUMERIC) = \(value)"
    }
}
