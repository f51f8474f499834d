import Foundation
import MoorageCore
import MoorageWire
import TestSupport
import Testing

/// The files of Tests/WireVectors, which the client in JavaScript reads, too.
@Suite(.ownThreads) struct `The vectors of the wire` {
    struct Vector: Sendable, CustomTestStringConvertible {
        let place: String
        let fields: [String]
        var testDescription: String { place }
    }

    private static let kinds: Set<String> = [
        "values", "exchange-request", "batch", "cursor", "frame", "compare-request",
        "compare-answer", "schema-answer", "error",
    ]

    /// The lines of a file that are no comments.
    private static func vectors(_ name: String, fields count: Int) throws -> [Vector] {
        let lines = try Repository.text("Tests/WireVectors/\(name).tsv")
            .components(separatedBy: "\n")
        let vectors = lines.enumerated().compactMap { number, line -> Vector? in
            if line.isEmpty || line.hasPrefix("#") { return nil }
            return Vector(
                place: "\(name).tsv:\(number + 1)", fields: line.components(separatedBy: "\t"))
        }
        #expect(vectors.allSatisfy { $0.fields.count == count })
        return vectors.filter { $0.fields.count == count }
    }

    /// The message as it is written again.
    private func written(_ kind: String, _ text: String) throws -> String {
        let bytes = Array(text.utf8)
        let written: [UInt8] =
            switch kind {
            case "values": Array(try [Value](jsonText: text).jsonText().utf8)
            case "exchange-request": try ExchangeRequest(decoding: bytes).encoded()
            case "batch": try Batch(decoding: bytes).encoded()
            case "cursor": try SyncCursor(decoding: bytes).encoded()
            case "frame": try Frame(decoding: bytes).encoded()
            case "compare-request": try CompareRequest(decoding: bytes).encoded()
            case "compare-answer": try CompareAnswer(decoding: bytes).encoded()
            case "schema-answer": try SchemaAnswer(decoding: bytes).encoded()
            default: try HubError(decoding: bytes).encoded()
            }
        return String(decoding: written, as: UTF8.self)
    }

    @Test func `come back byte for byte`() throws {
        let vectors = try Self.vectors("exact", fields: 2)
        #expect(Set(vectors.map { $0.fields[0] }) == Self.kinds)
        for vector in vectors {
            let again = try written(vector.fields[0], vector.fields[1])
            #expect(again.utf8.elementsEqual(vector.fields[1].utf8), "\(vector.place)")
        }
    }

    @Test func `may be read in several forms, and are written in one`() throws {
        for vector in try Self.vectors("read", fields: 3) {
            let again = try written(vector.fields[0], vector.fields[1])
            #expect(again.utf8.elementsEqual(vector.fields[2].utf8), "\(vector.place)")
        }
    }

    @Test func `are refused where they are no messages`() throws {
        for vector in try Self.vectors("refused", fields: 2) {
            #expect(Self.kinds.contains(vector.fields[0]), "\(vector.place)")
            let error = #expect(throws: HubError.self, "\(vector.place)") {
                _ = try written(vector.fields[0], vector.fields[1])
            }
            #expect(error?.code == .malformed, "\(vector.place)")
        }
    }

    @Test func `have the normal form of values`() throws {
        for vector in try Self.vectors("normal", fields: 3) {
            let type = try #require(ColumnType(name: vector.fields[0]), "\(vector.place)")
            let values = try [Value](jsonText: "[\(vector.fields[1])]")
            let normal = [type.normalized(values[0])].jsonText()
            #expect(normal.utf8.elementsEqual("[\(vector.fields[2])]".utf8), "\(vector.place)")
        }
    }

    @Test func `say which values are equal`() throws {
        for vector in try Self.vectors("equal", fields: 4) {
            let type = try #require(ColumnType(name: vector.fields[0]), "\(vector.place)")
            let values = try [Value](jsonText: "[\(vector.fields[1]),\(vector.fields[2])]")
            let isEqual = vector.fields[3] == "equal"
            #expect(type.equal(values[0], values[1]) == isEqual, "\(vector.place)")
            #expect(type.equal(values[1], values[0]) == isEqual, "\(vector.place)")
        }
    }
}
