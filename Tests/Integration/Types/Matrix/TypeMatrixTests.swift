import Foundation
import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// Checks that the tables of docs/reference/types.md describe what happens.
@Suite(.ownThreads) struct `The type matrix` {
    /// A section of the document, from a comment with the database's name to the next end comment.
    struct Document {
        private let url: URL
        private var text: String

        struct NoSection: Error {
            let name: String
        }

        init() throws {
            url = Repository.root.appending(path: "docs/reference/types.md")
            text = try String(contentsOf: url, encoding: .utf8)
        }

        private func range(of name: String) throws -> Range<String.Index> {
            guard let start = text.range(of: "<!-- matrix: \(name) -->\n"),
                let end = text.range(
                    of: "\n<!-- end -->", range: start.upperBound..<text.endIndex)
            else { throw NoSection(name: name) }
            return start.upperBound..<end.lowerBound
        }

        func section(_ name: String) throws -> String { try String(text[range(of: name)]) }

        private static let writing = NSLock()

        /// Takes a lock, because one file has the sections of all databases.
        static func replace(_ name: String, with section: String) throws {
            try writing.withLock {
                var document = try Document()
                try document.text.replaceSubrange(document.range(of: name), with: section)
                try document.text.write(to: document.url, atomically: true, encoding: .utf8)
            }
        }
    }

    private static let writes = ProcessInfo.processInfo.environment["MOORAGE_WRITE_DOCS"] == "1"

    @Test(arguments: CentreKind.available)
    func `is what docs/reference/types.md says`(kind: CentreKind) async throws {
        try await Self.compare(kind, try kind.make(), writes: Self.writes)
    }

    /// The server's character sets, modes and time zone differ, but its columns have the same
    /// values.
    @Test(.enabled(if: MariaDBFixture.otherServerURL != nil))
    func `is the same on a server with other modes and character sets`() async throws {
        try await Self.compare(
            .mariadb, try MySQLCentre(server: MariaDBFixture.otherServerURL), writes: false)
    }

    private static func compare(
        _ kind: CentreKind, _ centre: any Centre, writes: Bool
    ) async throws {
        let (prelude, cases): ([String], [MatrixCase]) =
            switch kind {
            case .sqlite: ([], MatrixCase.sqlite)
            case .postgres: (MatrixCase.postgresPrelude, MatrixCase.postgres)
            case .mariadb: ([], MatrixCase.mariadb)
            }
        let schema = prelude + TypeMatrix.schema(cases)
        try await World.run(on: centre, schema: schema, attaches: false) { world in
            var matrix = TypeMatrix(world: world, cases: cases)
            try await matrix.run()
            #expect(matrix.failures == [])
            if writes { return try Document.replace(kind.rawValue, with: matrix.text) }
            let known = try Document().section(kind.rawValue).split(separator: "\n")
            let difference = matrix.text.split(separator: "\n").difference(from: known)
            let lines = difference.map { change in
                switch change {
                case .insert(_, let line, _): "+ \(line)"
                case .remove(_, let line, _): "- \(line)"
                }
            }
            #expect(lines == [], "MOORAGE_WRITE_DOCS=1 writes the section again")
        }
    }
}
