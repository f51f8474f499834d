import Moorage
import MoorageCore
import MoorageHub
import TestSupport
import Testing

/// Checks that the tables of docs/reference/types.md describe what happens.
@Suite(.ownThreads) struct `The type matrix` {
    private static let page = "docs/reference/types.md"

    @Test(arguments: CentreKind.available)
    func `is what docs/reference/types.md says`(kind: CentreKind) async throws {
        try await Self.compare(kind, try kind.make(), writes: MatrixDocument.isWritten)
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
            if writes {
                return try MatrixDocument.replace(kind.rawValue, of: Self.page, with: matrix.text)
            }
            let known = try MatrixDocument(Self.page).section(kind.rawValue).split(separator: "\n")
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
