import MoorageCore

extension SQLText {
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
