public import Foundation
public import GRDB

/// A UUID in a column of text, as a hub's rows have it.
///
/// GRDB stores a `UUID` as 16 bytes, and a query that compares such a column with a `UUID` finds
/// nothing. This type is bound as text. New ones are in lower case, and one that was read keeps its
/// form.
public struct TextUUID: ColumnText {
    /// The same identifier for Foundation.
    public let uuid: UUID
    /// What was read; `nil` for the text in lower case.
    private let stored: DatabaseValue?

    /// How the letters of a new text are written.
    public enum Form: Hashable, Sendable {
        /// As a hub's rows have them, unless the file has others.
        case lowerCase
        /// As `UUID.uuidString` of Foundation.
        case upperCase
    }

    /// The identifier as text; without arguments a new one.
    ///
    /// - Parameters:
    ///   - uuid: The identifier.
    ///   - form: The form that the file has. An app's first UUID key decides it.
    public init(_ uuid: UUID = UUID(), form: Form = .lowerCase) {
        self.uuid = uuid
        stored = form == .upperCase ? uuid.uuidString.databaseValue : nil
    }

    /// Reads 36 characters, in lower or upper case.
    public init?(_ description: String) {
        guard let uuid = UUID(uuidString: description) else { return nil }
        self.uuid = uuid
        stored = description.databaseValue
    }

    private init(_ uuid: UUID, stored: DatabaseValue) {
        self.uuid = uuid
        self.stored = stored
    }

    /// 36 characters, in lower case unless the text that was read has others.
    public var description: String {
        if case .string(let text)? = stored?.storage { return text }
        return uuid.uuidString.lowercased()
    }

    public var databaseValue: DatabaseValue { stored ?? description.databaseValue }

    /// Reads text, and 16 bytes.
    public static func fromDatabaseValue(_ value: DatabaseValue) -> TextUUID? {
        switch value.storage {
        case .string(let text): TextUUID(text)
        case .blob: UUID.fromDatabaseValue(value).map { TextUUID($0, stored: value) }
        case .null, .int64, .double: nil
        }
    }

    public static func == (left: Self, right: Self) -> Bool { left.uuid == right.uuid }

    public func hash(into hasher: inout Hasher) { hasher.combine(uuid) }

    /// The order of the 16 bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.uuid.uuidString < right.uuid.uuidString
    }
}
