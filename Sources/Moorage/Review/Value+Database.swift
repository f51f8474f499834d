import Foundation
public import GRDB
public import MoorageCore

/// A value of a list goes into GRDB as it is: `Row(change.after)` is a row of the app, and
/// `try Customer(row: Row(change.after))` its record.
///
/// The values are as the hub writes them: a uuid, a decimal and a date are text. GRDB reads `UUID`,
/// `Decimal` and `Date` from such text.
extension Value: DatabaseValueConvertible {
    /// The value as SQLite stores it.
    public var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let integer): integer.databaseValue
        case .real(let real): real.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }

    /// The value that SQLite has stored.
    ///
    /// - Parameter dbValue: Any value of SQLite.
    /// - Returns: Never `nil`.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Value? {
        switch dbValue.storage {
        case .null: .null
        case .int64(let integer): .integer(integer)
        case .double(let real): .real(real)
        case .string(let text): .text(text)
        case .blob(let data): .blob([UInt8](data))
        }
    }
}
