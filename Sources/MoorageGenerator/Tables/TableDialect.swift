package import MoorageCore

/// A kind of central database, for the statements that create its tables.
///
/// MariaDB and MySQL are one kind. What only one of them knows is in a comment that the other one
/// skips.
package enum TableDialect: Sendable, CaseIterable {
    /// SQLite 3.38 and newer.
    case sqlite
    /// PostgreSQL 13 and newer.
    case postgres
    /// MySQL 8.0.22 and newer, and MariaDB. Tables with UUIDs need MariaDB 10.7.
    case mysql
}

extension TableDialect {
    /// A name in the quotes that every mode of the database reads as those of a name.
    package func name(_ name: String) -> String {
        self == .mysql ? SQLText.quoted(name, by: "`") : SQLText.name(name)
    }

    /// Names in quotes, with commas between them.
    package func names(_ names: some Sequence<String>) -> String {
        names.map { name($0) }.joined(separator: ", ")
    }

    /// A text as a literal.
    ///
    /// MySQL reads a backslash as its mode says. A text with one becomes hexadecimal digits there.
    ///
    /// - Returns: `nil` for a text that the database cannot store.
    package func literal(_ text: String) -> String? {
        let hasNUL = text.utf8.contains(0)
        switch self {
        case .sqlite where hasNUL: return "CAST(\(bytes(Array(text.utf8))) AS TEXT)"
        case .postgres where hasNUL: return nil
        case .mysql where hasNUL || text.utf8.contains(UInt8(ascii: "\\")):
            return "_utf8mb4 \(bytes(Array(text.utf8)))"
        case .sqlite, .postgres, .mysql: return SQLText.literal(text)
        }
    }

    /// A value of a column as a literal, in the normal form of the column's type.
    ///
    /// In MySQL the session's time zone is that of an instant. The hub's sessions have UTC.
    ///
    /// - Returns: `nil` for a value that is not of the type, or that the database cannot store.
    package func literal(_ value: Value, of type: ColumnType) -> String? {
        guard type.accepts(value) else { return nil }
        switch (type, type.normalized(value)) {
        case (_, .null): return "NULL"
        case (.boolean, .integer(let number)) where self == .postgres:
            return number == 0 ? "false" : "true"
        case (_, .integer(let number)): return String(number)
        case (_, .real(let number)):
            guard number.isFinite else { return nil }
            // MySQL loses bits of a number outside of quotes.
            return self == .mysql ? literal(number.description) : number.description
        case (.instant, .text(let text)) where self == .postgres: return literal(text + "+00")
        case (_, .text(let text)): return literal(text)
        case (_, .blob(let bytes)): return self.bytes(bytes)
        }
    }

    /// Bytes as a literal.
    private func bytes(_ bytes: [UInt8]) -> String {
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return self == .postgres ? "'\\x\(digits)'::bytea" : "x'\(digits)'"
    }

    /// A comment as a literal, without NUL.
    ///
    /// - Parameter maximumCharacters: MySQL's limit. What is longer is cut there.
    /// - Returns: `nil` in MySQL for a comment with a backslash. Its sessions read one in two ways,
    ///   and MySQL accepts no other form of a text there.
    package func comment(_ text: String, maximumCharacters: Int) -> String? {
        let scalars = text.unicodeScalars.filter { $0 != "\0" }
        guard self == .mysql else {
            return SQLText.literal(String(String.UnicodeScalarView(scalars)))
        }
        guard !scalars.contains("\\") else { return nil }
        return SQLText.literal(
            String(String.UnicodeScalarView(scalars.prefix(maximumCharacters))))
    }
}
