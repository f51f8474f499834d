public import Foundation
public import GRDB
package import MoorageCore

/// A decimal number of any length, such as an amount of money, without a binary fraction between.
///
/// It is for storing and comparing. ``decimal`` is for arithmetic. A `NUMERIC` column of SQLite
/// keeps up to 15 digits exactly; a column that needs more is declared as `TEXT`.
public struct ExactDecimal: ColumnText, ExpressibleByIntegerLiteral {
    package let number: DecimalText
    public let description: String

    /// Reads `-12.50` or `1.25e1`; `nil` for anything else, and for more than 200,000 characters.
    public init?(_ description: String) {
        guard let number = DecimalText(description) else { return nil }
        self.number = number
        self.description = description
    }

    /// A whole number.
    public init(_ number: Int64) {
        self.number = DecimalText(number)
        description = String(number)
    }

    public init(integerLiteral value: Int64) { self.init(value) }

    /// `nil` if the decimal is no number.
    public init?(_ decimal: Decimal) {
        guard !decimal.isNaN else { return nil }
        self.init(decimal.description)
    }

    /// The same number for arithmetic; `nil` if Foundation's `Decimal` cannot express each digit.
    public var decimal: Decimal? {
        guard
            let decimal = Decimal(
                string: number.normalized, locale: Locale(identifier: "en_US_POSIX")),
            DecimalText(decimal.description) == number
        else { return nil }
        return decimal
    }

    /// The nearest binary number, for charts and the like.
    public var double: Double { Double(number.normalized) ?? .nan }

    /// Reads text, and the numbers that a `NUMERIC` column of SQLite makes of it.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> ExactDecimal? {
        switch value.storage {
        case .int64(let integer): ExactDecimal(integer)
        case .double(let double): ExactDecimal(double.description)
        case .string(let text): ExactDecimal(text)
        case .null, .blob: nil
        }
    }

    public static func == (left: Self, right: Self) -> Bool { left.number == right.number }

    public func hash(into hasher: inout Hasher) { hasher.combine(number) }

    public static func < (left: Self, right: Self) -> Bool {
        left.number.isLess(than: right.number)
    }
}
