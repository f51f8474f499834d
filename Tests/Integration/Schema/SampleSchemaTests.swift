import Foundation
import MoorageWire
import TestSupport
import Testing

/// The files from which Scripts/check-api makes records that it compiles.
@Suite(.ownThreads) struct `The schema files of the examples` {
    private static let files = [
        "music": SampleSchemas.music, "rental": SampleSchemas.rental, "odd": SampleSchemas.odd,
    ]

    @Test(arguments: files.keys.sorted())
    func `are those that the tests use`(name: String) throws {
        let file = try #require(Self.files[name])
        let place = Repository.root.appending(
            path: "Tests/Consumers/Schemas/\(name).schema.json")
        if MatrixDocument.isWritten { try Data(file.encoded()).write(to: place) }
        let bytes = try #require(FileManager.default.contents(atPath: place.path))
        #expect(Array(bytes) == file.encoded(), "MOORAGE_WRITE_DOCS=1 writes the file again")
    }
}
