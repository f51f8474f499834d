import MoorageCore
import MoorageHub

/// Changes that the connector refuses. The messages name columns and types, never values.
extension CentralError {
    // MARK: Types

    static func misfit(_ value: Value, in column: NativeColumn) -> CentralError {
        refused(
            .type,
            """
            The column \(column.name) of type \(column.type.name) does not accept this form of \
            \(value.kindName).
            """)
    }

    /// - Parameter code: The server's code.
    static func characterMissing(in column: NativeColumn, of table: String, _ code: UInt32)
        -> CentralError
    {
        refused(
            .type,
            """
            The column \(table).\(column.name) has the character set \(column.characterSet ?? ""), \
            which lacks a character of this value (\(code)).
            """)
    }

    // MARK: Sizes

    /// - Parameter limit: The bytes of a packet.
    static func rowTooLarge(_ column: NativeColumn, of table: String, limit: Int) -> CentralError {
        refused(
            .tooLarge,
            """
            The column \(table).\(column.name) has a value that makes its row larger than the \
            server takes at once, max_allowed_packet of \(limit) bytes. Make the value smaller, or \
            raise that setting of the server.
            """)
    }

    /// - Parameter limit: The bytes of a packet.
    static func argumentsTooLarge(limit: Int) -> CentralError {
        refused(
            .tooLarge,
            """
            The values together are larger than the server takes at once, max_allowed_packet of \
            \(limit) bytes. Make them smaller, or raise that setting of the server.
            """)
    }
}
