import MoorageCore

/// Changes that the hub refuses for their values, before it asks the database.
extension Refusal {
    static func nullKey(_ column: String, of table: String) -> Refusal {
        Refusal(
            code: .notNull,
            message: "The column \(table).\(column) is part of the key and is NULL. Fill it in.")
    }

    /// - Parameters:
    ///   - column: The column with its table.
    ///   - type: What the column takes.
    ///   - kind: What kind of value the device has.
    static func wrongType(of column: String, _ type: String, not kind: String) -> Refusal {
        Refusal(
            code: .type,
            message: """
                The column \(column) takes values of type \(type), and the device has \(kind). \
                Correct the value.
                """)
    }

    /// - Parameters:
    ///   - column: The column with its table.
    ///   - type: What the column takes.
    static func textOfOtherForm(in column: String, _ type: String) -> Refusal {
        wrongType(of: column, type, not: "a text that is no \(type)")
    }

    static func keyChanged(_ column: String, of table: String) -> Refusal {
        Refusal(
            code: .type,
            message: """
                The column \(table).\(column) is part of the key, which never changes. Delete the \
                row and insert it again.
                """)
    }

    static func keyOfOtherLength(in table: String) -> Refusal {
        Refusal(
            code: .type,
            message: """
                The key of the change has another number of columns than the key of \(table). \
                Please report this.
                """)
    }

    static func keyOfOtherRow(in table: String) -> Refusal {
        Refusal(
            code: .type,
            message: """
                The row of \(table) has another key than the change that inserts it. Please report \
                this.
                """)
    }

    /// - Parameter column: The column with its table.
    static func valueTooLarge(in column: String, most bytes: Int) -> Refusal {
        Refusal(
            code: .tooLarge,
            message: "The value of \(column) is larger than \(bytes) bytes. Make it smaller.")
    }

    static func mergedValueTooLarge(in column: String, of table: String) -> Refusal {
        Refusal(
            code: .tooLarge,
            message: """
                Both versions of \(table).\(column) are too large together. Make the value smaller.
                """)
    }

    /// - Parameter column: The column with its table.
    static func notFinite(_ column: String) -> Refusal {
        Refusal(
            code: .notRepresentable,
            message: """
                The value of \(column) is infinite or no number, which the hub cannot exchange. \
                Correct the value.
                """)
    }
}
