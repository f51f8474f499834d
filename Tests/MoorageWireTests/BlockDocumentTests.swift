import Foundation
import MoorageCore
import TestSupport
import Testing

@testable import MoorageWire

/// The test vectors of docs/reference/protocol.md, 11.
@Suite(.ownThreads) struct `The document of the blocks` {
    /// The blocks with this word behind the fence.
    private static func parts(_ word: String) -> [String] {
        PageBlock.blocks(of: "docs/reference/protocol.md").filter { $0.language == word }
            .map(\.text)
    }

    private static func bytes(_ hex: String) throws -> [UInt8] {
        try hex.split(whereSeparator: \.isWhitespace).map { try #require(UInt8($0, radix: 16)) }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String(format: "%02x", $0) }.joined(separator: " ")
    }

    @Test func `shows columns in every form but those of a batch`() throws {
        var forms: Set<UInt8> = []
        for part in Self.parts("column") {
            let lines = part.split(separator: "\n")
            let values = try [Value](jsonText: String(lines[0]))
            let shown = try Self.bytes(String(lines[1]))
            var writer = ByteWriter()
            writer.column(ValueColumn(values))
            #expect(Self.hex(writer.bytes) == Self.hex(shown), "\(lines[0])")
            var reader = ByteReader(shown)
            #expect(try reader.column(values.count) == ValueColumn(values))
            #expect(reader.isAtEnd)
            forms.insert(shown[0] & ~BlockForm.someNulls)
        }
        #expect(forms == Set(0...8).union([12]))
    }

    @Test func `shows a page`() throws {
        let json = try #require(Self.parts("json frame-block").first)
            .replacing("\n ", with: "")
        let frame = try Frame(decoding: Array(json.utf8))
        let shown = try Self.bytes(#require(Self.parts("bytes").first))
        let written = WireEncoding.blocks.beginning + WireEncoding.blocks.encoded(frame)
        #expect(Self.hex(written) == Self.hex(shown))
        var reader = FrameReader(.blocks, maximumFrameBytes: 10_000)
        reader.add(shown)
        #expect(try reader.next() == frame)
    }

    @Test func `shows a batch`() throws {
        let json = try #require(Self.parts("json batch").first).replacing("\n ", with: "")
        let batch = try Batch(decoding: Array(json.utf8))
        let shown = try Self.bytes(#require(Self.parts("batch-block").first))
        #expect(Self.hex(batch.block()) == Self.hex(shown))
        #expect(try Batch(decoding: shown) == batch)
    }
}
