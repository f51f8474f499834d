/// SQL is made of identifiers and literals through these two alone.
enum SQLText {
    /// A quoted identifier. Names come from the catalog, so they hold no NUL.
    static func name(_ name: String) -> String { quoted(name, "\"") }

    /// A quoted string; `standard_conforming_strings` is on.
    static func literal(_ text: String) -> String { quoted(text, "'") }

    /// A table of the schema that is synced.
    static func table(_ name: String) -> String { "public." + self.name(name) }

    private static func quoted(_ text: String, _ quote: String) -> String {
        quote
            + text.split(separator: quote, omittingEmptySubsequences: false).joined(
                separator: quote + quote)
            + quote
    }

    /// Numbers the `?` of a statement `$1`, `$2`, …, except in quotes and comments.
    static func numbered(_ sql: String) -> String {
        var result = ""
        var number = 0
        var quote: Character?
        var isComment = false
        var previous: Character = " "
        for character in sql {
            defer { previous = character }
            if isComment {
                if character == "\n" { isComment = false }
            } else if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == "-", previous == "-" {
                isComment = true
            } else if character == "?" {
                number += 1
                result += "$\(number)"
                continue
            }
            result.append(character)
        }
        return result
    }
}
