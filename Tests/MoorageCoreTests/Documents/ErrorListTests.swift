import Foundation
import TestSupport
import Testing

/// docs/reference/errors.md against the codes in the sources.
@Suite(.ownThreads) struct `The list of error codes` {
    /// The files that declare codes, and how each declares one.
    private static let declarations: [(file: String, pattern: String)] = [
        ("Sources/Moorage/Errors/ReplicaError.swift", #"Code\(rawValue: "(\w+)"\)"#),
        ("Sources/MoorageWire/Messages/HubError.swift", #"Code\(rawValue: "(\w+)"\)"#),
        ("Sources/MoorageCore/Changes/Outcome.swift", #"Code\(rawValue: "(\w+)"\)"#),
        ("Sources/MoorageHub/Connector/CentralError.swift", #"^\s+case (\w+)"#),
        ("Sources/MoorageHub/Connector/Pool/PoolRefusal.swift", #"case \w+ = "(\w+)""#),
    ]

    private static func matches(_ pattern: String, in text: String) throws -> [String] {
        let expression = try NSRegularExpression(pattern: pattern, options: .anchorsMatchLines)
        let range = NSRange(text.startIndex..., in: text)
        return expression.matches(in: text, range: range).compactMap { match in
            Range(match.range(at: 1), in: text).map { String(text[$0]) }
        }
    }

    /// The codes in the first cells of the page's tables.
    private static func listed(in page: String) throws -> Set<String> {
        let cells = page.split(separator: "\n").compactMap { line in
            line.hasPrefix("| `") ? line.split(separator: "|").first.map(String.init) : nil
        }
        return try Set(cells.flatMap { try matches(#"`([a-zA-Z]+)`"#, in: $0) })
    }

    @Test(arguments: declarations)
    func `has every code`(declaration: (file: String, pattern: String)) throws {
        let page = try Repository.text("docs/reference/errors.md")
        let codes = try Self.matches(declaration.pattern, in: Repository.text(declaration.file))
        #expect(codes.count > 2, "\(declaration.file) declares no codes")
        #expect(try Set(codes).subtracting(Self.listed(in: page)).sorted() == [])
    }

    @Test func `lists no code that nobody sends`() throws {
        var known: Set<String> = []
        for declaration in Self.declarations {
            known.formUnion(
                try Self.matches(declaration.pattern, in: Repository.text(declaration.file)))
        }
        let page = try Repository.text("docs/reference/errors.md")
        // Later tables are of settings and of texts.
        let start = try #require(page.range(of: "\n## On the device"))
        let end = try #require(page.range(of: "\n### Any central database"))
        let listed = try Self.listed(in: String(page[start.upperBound..<end.lowerBound]))
        #expect(listed.subtracting(known).sorted() == [])
    }
}
