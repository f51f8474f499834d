import MoorageCore

/// SQL is made of identifiers and literals through these two alone.
enum SQLText {
    /// A quoted identifier. Names come from the catalog, so they hold no NUL.
    static func name(_ name: String) -> String { name.quoted(by: "\"") }

    /// A quoted string; `standard_conforming_strings` is on.
    static func literal(_ text: String) -> String { text.quoted(by: "'") }

    /// Numbers the `?` of a statement `$1`, `$2`, …, except in quotes and comments.
    static func numbered(_ sql: String) -> String {
        var result = ""
        var number = 0
        var quote: Unicode.Scalar?
        var isComment = false
        var previous: Unicode.Scalar = " "
        for character in sql.unicodeScalars {
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
            result.unicodeScalars.append(character)
        }
        return result
    }
}
