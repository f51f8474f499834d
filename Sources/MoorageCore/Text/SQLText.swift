/// The only way to make SQL from identifiers and literals. Each module adds what only its database
/// knows.
public enum SQLText {
    /// A name in double quotes. Names come from a catalog or a schema, never from the wire, and
    /// contain no NUL.
    public static func name(_ name: String) -> String { name.quoted(by: "\"") }

    /// Names in double quotes, with commas between them.
    public static func names(_ names: some Sequence<String>) -> String {
        names.map(name).joined(separator: ", ")
    }

    /// A text literal in single quotes, where a backslash is an ordinary character.
    public static func literal(_ text: String) -> String { text.quoted(by: "'") }

    /// A text in quotes of another kind, each quote in it doubled.
    ///
    /// - Parameter quote: An ASCII character.
    public static func quoted(_ text: String, by quote: Unicode.Scalar) -> String {
        text.quoted(by: quote)
    }
}
