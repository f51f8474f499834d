import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageWire

@Suite(.ownThreads) struct `What a message in blocks comes to` {
    /// The writer does not parse its own head. It counts the most memory that the head may take.
    private func isCounted(
        _ json: [UInt8], _ block: (Int) -> [UInt8],
        _ decode: ([UInt8], DecodingMemory) throws -> Void
    ) throws -> Bool {
        let bytes = block(.max)
        // Uneven rows come in JSON in any case.
        if bytes.suffix(json.count).elementsEqual(json) { return true }
        let memory = DecodingMemory()
        try decode(bytes, memory)
        let most = memory.used + BlockMemory.ofHead(bytes.count)
        return block(memory.used - 1).suffix(json.count).elementsEqual(json)
            && block(most) == bytes
    }

    @Test func `is known to its writer, who takes JSON where it is too much`() throws {
        for seed in lawSeeds(400, nightly: 4_000) {
            var random = SeededGenerator(seed: seed)
            let batch = random.batch()
            // A batch without changes takes no memory.
            if batch.changes.isEmpty { continue }
            let ofBatch = try isCounted(batch.encoded(), { batch.block(within: $0) }) {
                _ = try Batch(decoding: $0, memory: $1)
            }
            let frame = Frame.page(random.page())
            let ofPage = try isCounted(frame.encoded(), { frame.block(within: $0) }) {
                _ = try Frame(block: $0, memory: $1)
            }
            #expect(ofBatch && ofPage, "seed \(seed)")
        }
    }

    /// Texts that take few bytes in a block.
    @Test(arguments: [
        ("0f0e0d0c-0b0a-4908-8706-050403020100", 36), ("2026-11-23 13:45:00.000", 23), ("0", 20),
    ])
    func `counts each text by the bytes that are made`(text: String, bytes: Int) throws {
        var writer = ByteWriter()
        writer.column(ValueColumn(Array(repeating: .text(text), count: 1_000)))
        var reader = ByteReader(writer.bytes)
        _ = try reader.column(1_000)
        #expect(reader.memory.used == (1_000 + BlockMemory.valuesOfColumn) * 32 + 1_000 * bytes)
        #expect(writer.memory == reader.memory.used)
    }

    @Test func `is no hindrance for a batch that was stored`() throws {
        let count = 800_000
        var writer = ByteWriter()
        writer.byte(Batch.batchTag)
        writer.head(
            Array(
                """
                {"number":1,"nonce":"n","preparedAt":0,"tables":[{"name":"t","columns":["id"]}],\
                "count":\(count)}
                """.utf8))
        for number: Int64 in [0, 3, 0, 0] {
            writer.integers(Array(repeating: number, count: count))
        }
        writer.column(.nulls(count))
        writer.count(1)
        writer.column(.integers(Array(repeating: 7, count: count)))
        #expect(writer.bytes.count < 1_000)
        let error = #expect(throws: HubError.self) { try Batch(decoding: writer.bytes) }
        #expect(error?.code == .tooLarge)
        #expect(try Batch(stored: writer.bytes).changes.count == count)
    }

    /// Reading that is quadratic in the number of columns takes minutes, and reaches the limit.
    @Test(.timeLimit(.minutes(3)))
    func `is read in a time of its size`() throws {
        let count = 100_000
        let names = (0..<count).map { "c\($0)" }
        let edits = names.indices.map {
            ColumnEdit(column: $0, old: .integer(1), new: .integer(2))
        }
        let batch = Batch(
            number: 1, nonce: "n", preparedAt: 0, tables: [TableColumns(name: "t", columns: names)],
            changes: [
                Change(
                    table: "t", key: RowKey([.integer(1)]), operation: .update(edits), editedAt: 0)
            ])
        #expect(try Batch(decoding: batch.block()) == batch)
    }
}
