import Foundation
import TestSupport

/// A page whose tables a test tries cell by cell, and writes again if it is asked to.
struct MatrixDocument {
    /// Whether tests write what they find into the pages, instead of comparing.
    static let isWritten = ProcessInfo.processInfo.environment["MOORAGE_WRITE_DOCS"] == "1"

    private let url: URL
    private var text: String

    struct NoSection: Error {
        let name: String
    }

    /// - Parameter path: From the repository's folder.
    init(_ path: String) throws {
        url = Repository.root.appending(path: path)
        text = try String(contentsOf: url, encoding: .utf8)
    }

    /// The names of the sections, in the page's order.
    var names: [String] {
        text.matches(of: /<!-- matrix: (.*) -->/).map { String($0.1) }
    }

    private func range(of name: String) throws -> Range<String.Index> {
        guard let start = text.range(of: "<!-- matrix: \(name) -->\n"),
            let end = text.range(of: "\n<!-- end -->", range: start.upperBound..<text.endIndex)
        else { throw NoSection(name: name) }
        return start.upperBound..<end.lowerBound
    }

    /// The lines from a comment with the section's name to the next end comment.
    func section(_ name: String) throws -> String { try String(text[range(of: name)]) }

    private static let writing = NSLock()

    /// Takes a lock, because tests that run at the same time write sections of one page.
    static func replace(_ name: String, of path: String, with section: String) throws {
        try writing.withLock {
            var document = try MatrixDocument(path)
            try document.text.replaceSubrange(document.range(of: name), with: section)
            try document.text.write(to: document.url, atomically: true, encoding: .utf8)
        }
    }
}
