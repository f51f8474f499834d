import MoorageCore
import MoorageHub

/// Values that a column refuses. They name the column and its type, never the value.
extension CentralError {
    // MARK: Values of another type

    static func valueOfOtherForm(_ value: Value, in column: NativeColumn) -> CentralError {
        refused(
            .type,
            """
            The column \(column.name) accepts values of type \(column.type.name), and not this \
            form of \(value.kindName).
            """)
    }

    static func notALabel(in column: NativeColumn) -> CentralError {
        refused(
            .type,
            """
            The column \(column.name) accepts the labels of \(column.typeName), and this text is \
            another one.
            """)
    }

    static func tooManyBytes(_ count: Int, limit: Int, in column: NativeColumn) -> CentralError {
        refused(
            .type,
            "The column \(column.name) accepts at most \(limit) bytes, and this text has \(count).")
    }

    static func tooManyCharacters(_ count: Int, limit: Int, in column: NativeColumn)
        -> CentralError
    {
        refused(
            .type,
            """
            The column \(column.name) accepts at most \(limit) characters, and this text has \
            \(count).
            """)
    }

    static func numberOutOfRange(in column: NativeColumn) -> CentralError {
        refused(
            .type,
            "The column \(column.name) of type \(column.typeName) accepts no number of this size.")
    }

    static func misfit(in column: NativeColumn) -> CentralError {
        refused(
            .type,
            "The column \(column.name) of type \(column.typeName) does not accept this value.")
    }

    /// - Parameter columns: The server does not say in which of these columns the value is.
    static func misfit(in columns: [NativeColumn], _ state: String) -> CentralError {
        let names = columns.map { "\($0.name) (\($0.typeName))" }.joined(separator: ", ")
        let place = columns.count == 1 ? "the column" : "one of the columns"
        return refused(.type, "A value does not fit the type of \(place) \(names) (\(state)).")
    }

    // MARK: Values without a form

    static func nulInText(of column: NativeColumn) -> CentralError {
        refused(
            .notRepresentable,
            "The column \(column.name) cannot store a text with a NUL character.")
    }
}
