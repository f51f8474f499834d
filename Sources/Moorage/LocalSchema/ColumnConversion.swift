import SQLiteSupport

/// What becomes of a column's values when the app makes it again with another type.
enum ColumnConversion {
    /// An expression for what a value says: a text becomes the number that it is, if no digit is
    /// lost, and a whole number an integer.
    static func meaning(of column: String) -> String {
        // Without the column's affinity, texts are compared as texts.
        let text = "+\(column) COLLATE BINARY"
        return """
            CASE typeof(\(column))
              WHEN 'text' THEN CASE
                WHEN CAST(CAST(\(column) AS INTEGER) AS TEXT) = \(text) THEN CAST(\(column) AS INTEGER)
                WHEN CAST(CAST(\(column) AS REAL) AS TEXT) = \(text)
                  THEN \(whole("CAST(\(column) AS REAL)"))
                ELSE \(column) END
              WHEN 'real' THEN \(whole(column))
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
            "CASE WHEN \(isNumber(value)) THEN \(whole("CAST(\(value) AS NUMERIC)")) ELSE \(value) END"
        case .real:
            "CASE WHEN \(isNumber(value)) THEN CAST(\(value) AS REAL) ELSE \(value) END"
        }
    }

    /// SQLite takes a text for a number where it compares it with one, if it is one.
    private static func isNumber(_ value: String) -> String {
        "typeof(\(value)) <> 'blob' AND CAST(\(value) AS NUMERIC) = \(value)"
    }

    /// A whole number as an integer, where a real has all integers.
    private static func whole(_ number: String) -> String {
        """
        CASE WHEN typeof(\(number)) = 'real' AND abs(\(number)) < 9007199254740992
            AND CAST(\(number) AS INTEGER) = \(number)
          THEN CAST(\(number) AS INTEGER) ELSE \(number) END
        """
    }
}
