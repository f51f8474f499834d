import Foundation
import TestSupport
import Testing

/// docs/reference/rest.md against the problems in the sources.
@Suite(.ownThreads) struct `The list of problems` {
    private static let statuses = [
        "malformed": "400", "forbidden": "403", "notFound": "404", "conflict": "409",
        "expired": "410", "changed": "412", "tooLarge": "413", "unprocessable": "422",
        "notWritten": "424",
    ]

    /// The two groups of each match.
    private func matches(_ pattern: String, in file: String) throws -> [(String, String)] {
        let text = try Repository.text(file)
        let expression = try NSRegularExpression(pattern: pattern)
        let range = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: range).compactMap { match in
            guard let first = Range(match.range(at: 1), in: text),
                let second = Range(match.range(at: 2), in: text)
            else { return nil }
            return (String(text[first]), String(text[second]))
        }
    }

    /// The status and the code of each problem.
    private func declared() throws -> [(status: String, code: String)] {
        let own = try ["Batches", "Lists", "Manifest", "Requests", "Rows"].flatMap { part in
            try matches(
                #"status: (\d+), code: "(\w+)""#,
                in: "Sources/MoorageREST/Problems/RESTProblem+\(part).swift")
        }
        let ofHub = try ["Rows/RowProblem", "Changes/RowProblem+Changes"].flatMap { file in
            try matches(#"\.(\w+), "(\w+)""#, in: "Sources/MoorageHub/\(file).swift")
        }
        return own.map { ($0.0, $0.1) }
            + ofHub.compactMap { kind, code in Self.statuses[kind].map { ($0, code) } }
    }

    @Test func `has every code under its status`() throws {
        let page = try Repository.text("docs/reference/rest.md")
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| 4") || $0.hasPrefix("| 5") }
        let problems = try declared()
        #expect(problems.count > 30)
        for (status, code) in problems {
            let row = rows.first {
                $0.split(separator: "|").first?.contains(status) == true
            }
            #expect(row?.contains("`\(code)`") == true, "\(status) \(code)")
        }
    }
}
