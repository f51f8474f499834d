public import GRDB

/// A value that a synced column stores as text: a date, a time, a moment, an exact decimal or a
/// UUID.
///
/// Two values are equal when the column's type says so, whatever their texts are. A value that was
/// read keeps its text, so a record that is read and saved is no edit. The forms are in
/// docs/reference/types.md.
public protocol ColumnText: LosslessStringConvertible, Comparable, Hashable, Codable, Sendable,
    DatabaseValueConvertible
{
}

extension ColumnText {
    public var databaseValue: DatabaseValue { description.databaseValue }

    /// `nil` unless the column has text of the type's form.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
        String.fromDatabaseValue(value).flatMap { Self($0) }
    }

    /// Decodes the text.
    /// - Throws: `DecodingError` if the text has another form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The text is no \(Self.self).")
        }
        self = value
    }

    /// Encodes the text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
