import Foundation
import TestSupport
import Testing

/// docs/reference/invariants.md against the code that cites it.
@Suite(.ownThreads) struct `The list of invariants` {
    private typealias InvariantList = `The list of invariants`

    private struct Entry {
        let id: String
        let holders: String
    }

    private struct Citation: Hashable {
        let id: String
        let place: String
        /// A comment that defines the invariant: `- B1: …`.
        let isDefinition: Bool
    }

    /// Every source file, read once for all tests.
    private struct Documents {
        let entries: [Entry]
        let citations: [Citation]
        let sources: Data

        init() throws {
            entries = try InvariantList.entries(Repository.text("docs/reference/invariants.md"))
            var (citations, sources): ([Citation], Data) = ([], Data())
            for folder in ["Sources", "Tests"] {
                for (path, text) in try InvariantList.files(folder, ext: "swift")
                where !path.hasSuffix("/InvariantListTests.swift") {
                    citations += InvariantList.citations(code: text, path)
                    if folder == "Sources" { sources += Data(text.utf8) }
                }
            }
            for (path, text) in try InvariantList.files("docs", ext: "md")
            where !path.hasSuffix("/invariants.md") {
                citations += InvariantList.citations(document: text, path)
            }
            self.citations = citations
            self.sources = sources
        }
    }

    private static let documents = Result { try Documents() }
    private let entries: [Entry]
    private let citations: [Citation]
    private let sources: Data

    init() throws {
        let documents = try Self.documents.get()
        (entries, citations, sources) = (documents.entries, documents.citations, documents.sources)
    }

    @Test func `names each once`() {
        #expect(entries.count > 50)
        let names = Dictionary(grouping: entries, by: \.id).filter { $1.count > 1 }.keys
        #expect(names.sorted() == [])
    }

    @Test func `has every invariant that code or a document cites`() {
        let listed = Set(entries.map(\.id))
        let unknown = Set(citations).filter { !listed.contains($0.id) }
        #expect(citations.count > 40)
        #expect(unknown.map { "\($0.id) in \($0.place)" }.sorted() == [])
    }

    @Test func `is defined in one file each, where it is defined in code`() {
        let definitions = Dictionary(
            grouping: Set(citations.filter(\.isDefinition)), by: \.id)
        let repeated = definitions.filter { $1.count > 1 }
        #expect(repeated.map { "\($0) in \($1.map(\.place).sorted())" }.sorted() == [])
    }

    @Test func `says who holds it, by names that exist`() {
        let missing = entries.flatMap { entry in
            entry.holders.matches(of: /`([A-Za-z_. =]+)`/).flatMap { match in
                match.1.split(whereSeparator: { ". =".contains($0) })
            }
            .filter { sources.range(of: Data($0.utf8)) == nil }
            .map { "\(entry.id): \($0)" }
        }
        #expect(missing == [])
    }

    @Test func `notices what it should`() throws {
        let code = """
            /// - B1: A batch is sent again as it was.
            let x = 1  // not U+E9 nor (Q7) behind code
            // The hub tells it once (B3, T2), by invariant M5.
            assert(x == 1, "P4")
            """
        let found = Self.citations(code: code, "x.swift")
        #expect(found.map(\.id) == ["B1", "B3", "T2", "M5", "P4"])
        #expect(found.map(\.isDefinition) == [true, false, false, false, false])
        #expect(
            Self.citations(document: "It is so (B1, C2); a B5 page", "x").map(\.id) == ["B1", "C2"])
        #expect(
            try Self.entries("| B1 | A | `held` | x |\n| | invariant | held by | tried by |\n").map(
                \.id)
                == ["B1"])
    }

    // MARK: Reading

    private static func entries(_ text: String) throws -> [Entry] {
        text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 5, cells[1].wholeMatch(of: /[A-Z][1-9][0-9]?/) != nil else {
                return nil
            }
            return Entry(id: cells[1], holders: cells[3])
        }
    }

    /// Finds citations in whole lines of comments, and in the messages of assertions.
    private static func citations(code: String, _ path: String) -> [Citation] {
        code.split(separator: "\n").filter(mayCite).flatMap { line -> [Citation] in
            let text = line.drop(while: { $0 == " " })
            if text.hasPrefix("//") {
                let defined = text.firstMatch(of: /^\/\/\/ - ([A-Z][1-9][0-9]?):/)?.1
                return text.matches(of: /\b([A-Z][1-9][0-9]?)\b/).filter { match in
                    let before = text[..<match.range.lowerBound].last
                    return before == " " || before == "("
                }
                .map {
                    Citation(id: String($0.1), place: path, isDefinition: $0.1 == defined)
                }
            }
            return text.matches(of: /, "([A-Z][1-9][0-9]?)"\)/).map {
                Citation(id: String($0.1), place: path, isDefinition: false)
            }
        }
    }

    /// A capital letter with a digit behind it. Few lines have one, and patterns are slow.
    private static func mayCite(_ line: Substring) -> Bool {
        var previous: UInt8 = 0
        for byte in line.utf8 {
            if (0x31...0x39).contains(byte), (0x41...0x5A).contains(previous) { return true }
            previous = byte
        }
        return false
    }

    private static func citations(document: String, _ path: String) -> [Citation] {
        document.matches(of: /\(([A-Z][1-9][0-9]?(?:, [A-Z][1-9][0-9]?)*)[,)]/).flatMap { match in
            match.1.split(separator: ", ").map {
                Citation(id: String($0), place: path, isDefinition: false)
            }
        }
    }

    private static func files(_ folder: String, ext: String) throws -> [(String, String)] {
        let base = Repository.root.appending(path: folder)
        guard let files = FileManager.default.enumerator(at: base, includingPropertiesForKeys: nil)
        else { return [] }
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == ext }.map {
            (
                folder + $0.path.dropFirst(base.path.count),
                try String(contentsOf: $0, encoding: .utf8)
            )
        }
    }
}
