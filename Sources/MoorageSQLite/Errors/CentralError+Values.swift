import MoorageCore
import MoorageHub

/// Changes that the connector refuses. The messages name tables and columns, never values.
extension CentralError {
    static func decimalTooLong(for column: String, of table: String) -> CentralError {
        refused(
            .notRepresentable,
            """
            The column \(table).\(column) stores 15 digits of numbers up to about 1.8e308, and this \
            decimal has more or is beyond. Declare the column as TEXT to store such decimals.
            """)
    }
}
