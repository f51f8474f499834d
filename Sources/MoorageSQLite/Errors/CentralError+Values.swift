import MoorageCore
import MoorageHub

/// Changes that the connector refuses. The messages name tables and columns, never values.
extension CentralError {
    private static func refused(_ code: Refusal.Code, _ message: String) -> CentralError {
        CentralError(.refused(Refusal(code: code, message: message)), message)
    }

    // MARK: Foreign keys

    static func parentMissing(of tables: [String]) -> CentralError {
        let names = tables.joined(separator: ", ")
        return refused(
            .foreignKey, "A foreign key of \(names) refers to a row that does not exist.")
    }

    static func childrenLeft(of tables: [String]) -> CentralError {
        let names = tables.joined(separator: ", ")
        return refused(.foreignKey, "Other rows refer to the deleted row of \(names).")
    }

    // MARK: Types

    static func decimalTooLong(for column: String, of table: String) -> CentralError {
        refused(
            .notRepresentable,
            """
            The column \(table).\(column) stores 15 digits, and this decimal has more. Declare the \
            column as TEXT to store longer decimals.
            """)
    }
}
