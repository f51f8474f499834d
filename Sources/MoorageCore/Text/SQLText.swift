/// The only way to make SQL from identifiers and literals. Each module adds what only its database
/// knows.
package enum SQLText {
    /// A name in double quotes. Names come from a catalog or a schema, never from the wire, and
    /// contain no NUL.
    package static func name(_ name: String) -> String { name.quoted(by: "\"") }

    /// Names in double quotes, with commas between them.
    package static func names(_ names: some Sequence<String>) -> String {
        names.map(name).joined(separator: ", ")
    }

    /// A text literal in single quotes, where a backslash is an ordinary character.
    package static func literal(_ text: String) -> String { text.quoted(by: "'") }
}
