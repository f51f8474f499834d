/// Swift source in the making: lines with their indentation.
struct SourceText {
    private(set) var lines: [String] = []
    private var depth = 0

    mutating func line(_ text: String = "") {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: depth) + text)
    }

    /// `head {`, the lines of the content and `}`.
    mutating func block(_ head: String, _ content: (inout SourceText) -> Void) {
        line(head + " {")
        indented(content)
        line("}")
    }

    mutating func indented(_ content: (inout SourceText) -> Void) {
        depth += 1
        content(&self)
        depth -= 1
    }

    /// A documentation comment, which nothing in the text can end.
    mutating func comment(_ text: String) {
        for part in text.split(whereSeparator: \.isNewline) {
            let visible = String(
                String.UnicodeScalarView(part.unicodeScalars.map { Self.isVisible($0) ? $0 : " " }))
            line("/// " + visible)
        }
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    /// A text in quotes, with escapes for all that a reader of the source could not see.
    static func literal(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case _ where isVisible(scalar): result.unicodeScalars.append(scalar)
            default: result += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return result + "\""
    }

    /// Whether the character can be in source. Format characters could show other code than is
    /// compiled.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
            .unassigned:
            false
        default: true
        }
    }
}
