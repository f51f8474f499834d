import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageWire

@Suite(.ownThreads) struct `Messages in blocks` {
    @Test func `come back as they were`() throws {
        try Law.roundTrip({ $0.request() }, { $0.block() }, { try ExchangeRequest(decoding: $0) })
        try Law.roundTrip({ $0.batch() }, { $0.block() }, { try Batch(decoding: $0) })
        try Law.roundTrip({ $0.frame() }, { $0.block() }, { try Frame(block: $0) })
    }

    @Test func `a stored batch goes out byte for byte`() throws {
        let edit = ColumnEdit(column: 1, old: .text("Lyon"), new: .text("Lyons"))
        let batch = Batch(
            number: 3, nonce: "n", preparedAt: 1,
            tables: [TableColumns(name: "t", columns: ["id", "name"])],
            changes: [
                Change(
                    table: "t", key: RowKey([.integer(1)]), operation: .update([edit]), editedAt: 5)
            ])
        let stored = batch.block()
        let bytes = try request(batch).block(batch: stored)
        #expect(Array(bytes.suffix(stored.count)) == stored)
        #expect(try ExchangeRequest(decoding: bytes).batch == batch)
    }

    private func request(_ batch: Batch) throws -> ExchangeRequest {
        ExchangeRequest(
            replica: "0f0e0d0c-0b0a-4908-8706-050403020100", hub: nil, sentAt: 0, tables: [],
            cursor: .start, schemaVersion: nil, batch: batch, limits: PageLimits())
    }

    @Test func `rows and keys of uneven width travel in JSON`() throws {
        let page = Page(
            since: .start, cursor: .start, isCaughtUp: false, tables: [],
            removals: [
                TableKeys(table: "t", keys: [RowKey([.integer(1)]), RowKey([.integer(1), .null])])
            ])
        #expect(try Frame(block: Frame.page(page).block()) == .page(page))
        let change = Change(
            table: "t", key: RowKey([.integer(1)]), operation: .insert([.null]), editedAt: 5)
        let batch = Batch(
            number: 3, nonce: "n", preparedAt: 1, tables: [], changes: [change])
        #expect(batch.block() == batch.encoded())
    }

    @Test func `a batch with fills travels in JSON`() throws {
        let fill = ColumnEdit(column: 1, old: .null, new: .text("Lyon"), isFill: true)
        let batch = Batch(
            number: 3, nonce: "n", preparedAt: 1,
            tables: [TableColumns(name: "t", columns: ["id", "name"])],
            changes: [
                Change(
                    table: "t", key: RowKey([.integer(1)]), operation: .update([fill]), editedAt: 5)
            ])
        #expect(batch.block() == batch.encoded())
        #expect(try Batch(stored: batch.block()) == batch)
        let bytes = try request(batch).block(batch: batch.block())
        #expect(try ExchangeRequest(decoding: bytes).batch == batch)
    }

    /// Small messages that would take more memory than a device or a server has.
    @Test(arguments: [
        (Int.max, [] as [UInt8]), (1 << 57, []), (1 << 31, []),
        // A million updates of one set of columns, encoded as runs.
        (
            1_000_000,
            [
                2, 0, 0xC0, 0x84, 0x3D, 2, 2, 0xC0, 0x84, 0x3D, 2, 0, 0xC0, 0x84, 0x3D, 2, 0, 0xC0,
                0x84, 0x3D,
            ]
        ),
    ])
    func `are refused where few bytes stand for too much`(count: Int, rest: [UInt8]) {
        let columns = (0..<200).map { "\"c\($0)\"" }.joined(separator: ",")
        let head = """
            {"number":1,"nonce":"n","preparedAt":0,\
            "tables":[{"name":"t","columns":[\(columns)]}],"count":\(count)}
            """
        var writer = ByteWriter()
        writer.byte(1)
        writer.part(Array(head.utf8))
        writer.raw(rest)
        if !rest.isEmpty {
            writer.column(.nulls(count))
            writer.count(1)
            writer.column(.integers(Array(repeating: 7, count: count)))
            writer.count(1)
            writer.count(200)
            for column in 0..<200 { writer.count(column) }
            writer.counts(Array(repeating: 0, count: count))
        }
        #expect(writer.bytes.count < 4_000)
        #expect(throws: HubError.self) { try Batch(decoding: writer.bytes) }
        let page = """
            {"since":{},"cursor":{},"caughtUp":true,"removals":[{"table":"t","count":\(count),\
            "parts":\(count)}],"tables":[],"withheld":[]}
            """
        var frame = ByteWriter()
        frame.byte(1)
        frame.part(Array(page.utf8))
        frame.raw([UInt8](repeating: 0, count: 3_000))
        #expect(throws: HubError.self) { try Frame(block: frame.bytes) }
    }

    @Test func `are refused at every place where they break off`() throws {
        for seed in UInt64(0)..<60 {
            var random = SeededGenerator(seed: seed)
            let page = Frame.page(random.page()).block()
            for count in 0..<page.count {
                #expect(throws: HubError.self, "seed \(seed), \(count) of \(page.count)") {
                    try Frame(block: Array(page.prefix(count)))
                }
            }
            let batch = random.batch().block()
            for count in 0..<batch.count {
                #expect(throws: HubError.self, "seed \(seed), \(count) of \(batch.count)") {
                    try Batch(decoding: Array(batch.prefix(count)))
                }
            }
        }
    }
}

@Suite(.ownThreads) struct `A column in blocks` {
    private func form(_ bytes: [UInt8]) -> BlockForm? {
        bytes.first.flatMap { BlockForm(rawValue: $0 & ~BlockForm.someNulls) }
    }

    private func written(
        _ values: [Value], key: [ValueColumn] = [], before: [Value]? = nil
    ) throws -> [UInt8] {
        let column = ValueColumn(values)
        let old = before.map { ValueColumn($0) }
        var writer = ByteWriter()
        writer.column(column, key: key, before: old)
        var reader = ByteReader(writer.bytes)
        let read = try reader.column(values.count, key: key, before: old)
        #expect(read == column)
        #expect(reader.isAtEnd)
        #expect((0..<read.count).map { read[$0] } == values)
        return writer.bytes
    }

    @Test(
        arguments: [
            ([], .nulls), ([.null, .null], .nulls), ([.integer(1), .text("1")], .mixed),
            ([.integer(.min), .integer(.max), .integer(0)], .integers),
            ([.real(0.5), .real(-0.0), .real(.nan), .real(.infinity)], .reals),
            ([.real(.nan)], .reals), ([.real(-0.0)], .reals), ([.real(.infinity)], .reals),
            ([.real(0.1 + 0.2)], .reals), ([.real(.leastNonzeroMagnitude)], .reals),
            ([.real(1e300)], .reals), ([.real(0x1p53 + 2)], .reals),
            ([.real(9.8), .real(-0.05), .real(0), .real(1_200_000.25)], .decimalReals),
            ([.real(3), .real(-4)], .decimalReals), ([.real(0x1p30)], .decimalReals),
            ([.text(""), .text("é"), .text("e\u{301}\u{0}")], .texts),
            ([.blob([]), .blob([0, 255])], .blobs),
            ([.text("0f0e0d0c-0b0a-4908-8706-050403020100")], .uuids),
            ([.text("0F0E0D0C-0B0A-4908-8706-050403020100")], .texts),
            ([.text("0f0e0d0c-0b0a-4908-8706-05040302010g")], .texts),
            ([.text("0f0e0d0c-0b0a-4908-8706+050403020100")], .texts),
            (
                [
                    .text("2026-11-23 13:45:00.25"), .text("1996-07-04 00:00:00.00"),
                    .text("2026-11-23 13:45:00.25"),
                ], .digits
            ), (Array(repeating: .text("12345"), count: 3), .decimals),
            (["1-2", "8-5", "0-4"].map { .text($0) }, .digits),
            ([.text("9.80"), .text("-0.05"), .text("1200.00"), .text("0.00")], .decimals),
            // None of these would come back from a number with a scale.
            ([.text("9.80"), .text("-0.00"), .text("1200.00"), .text("12.00")], .texts),
            ([.text("9.80"), .text("9.8"), .text("1200.00"), .text("12.00")], .texts),
            ([.text("9.80"), .text("09.80"), .text("1200.00"), .text("12.00")], .texts),
            ([.text("9.80"), .text(".80"), .text("1200.00"), .text("12.00")], .texts),
            ([.text("980"), .text("-"), .text("120000"), .text("1")], .texts),
            ([.text("980"), .text("1."), .text("120000"), .text("1")], .texts),
            ([.text("980"), .text("+1"), .text("120000"), .text("1")], .texts),
            ([.text("980"), .text("1.0.0"), .text("120000"), .text("1")], .texts),
            ([.text("-1"), .text("123456789012345678"), .text("0")], .decimals),
            ([.text("-1"), .text("1234567890123456789"), .text("0")], .texts),
            ([.text("-1"), .text("9999999999999999999.9"), .text("0")], .texts),
        ] as [([Value], BlockForm)])
    func `takes the form that fits`(values: [Value], expected: BlockForm) throws {
        #expect(form(try written(values)) == expected)
        guard !values.isEmpty, expected != .nulls else { return }
        let withNulls = try written([.null] + values + [.null, .null])
        #expect(form(withNulls) == expected)
        #expect((withNulls[0] & BlockForm.someNulls != 0) == (expected != .mixed))
    }

    /// The fuzzer found that a payload came through blocks, but not through JSON.
    @Test(
        arguments: [
            0xFFF0_0000_0800_0000, 0x7FF0_0000_0000_0001, 0x7FF8_0000_0000_0001,
            0xFFF8_0000_0000_0000, .max,
        ] as [UInt64])
    func `has one NaN`(word: UInt64) throws {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        for head in [[BlockForm.reals.rawValue], [BlockForm.mixed.rawValue, 2]] {
            var reader = ByteReader(head + bytes)
            let column = try reader.column(1)
            #expect(reader.isAtEnd)
            #expect(column == ValueColumn([.real(.nan)]))
            #expect(column[0] == .real(.nan))
        }
    }

    @Test func `repeats the key, and tells an edit by what it keeps`() throws {
        let key = [ValueColumn([.integer(7), .integer(9)])]
        #expect(form(try written([.integer(7), .integer(9)], key: key)) == .keyPart)
        #expect(form(try written([.integer(7), .integer(8)], key: key)) == .integers)
        let text = "A note of some length about nothing at all"
        #expect(
            form(try written([.text(text + "!"), .null], before: [.text(text), .null])) == .edits)
        #expect(form(try written([.text("x")], before: [.null])) == .texts)
        #expect(form(try written([.text("x")], before: [.text("y")])) == .texts)
        // Both texts have the same bytes at both ends. The encoding must not count one of them
        // twice.
        _ = try written([.text("aaa")], before: [.text("aaaaa")])
        _ = try written([.text("aaaaa")], before: [.text("aaa")])
        let many = (0..<50).map { Value.integer(1_000_000 + $0 * 7_919) }
        let more = (0..<50).map { Value.integer(1_000_001 + $0 * 7_919) }
        #expect(form(try written(more, before: many)) == .differences)
        #expect(form(try written([.integer(.min)], before: [.integer(.max)])) == .differences)
    }

    @Test func `comes back, whatever it holds`() throws {
        for seed in lawSeeds(2_000, nightly: 20_000) {
            var random = SeededGenerator(seed: seed)
            let count = Int.random(in: 0..<20, using: &random)
            let kinds = Int.random(in: 1...5, using: &random)
            let values = (0..<count).map { _ in random.row(kinds)[0] }
            let before = (0..<count).map { _ in random.row(kinds)[0] }
            _ = try written(values, before: Bool.random(using: &random) ? before : nil)
        }
    }

    /// Few bytes that would become many.
    @Test(
        arguments: [
            [0x00], [0x02, 0x02, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0x07],
            [0x07, 0x01, 0x30], [0x08, 0x00, 0x02, 0x02, 0xFF, 0xFF, 0xFF, 0xFF, 0x07],
            [0x04, 0x02, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0x07], [0x80 | 0x02], [0x06], [0x03],
        ] as [[UInt8]])
    func `is refused where few bytes stand for too much`(bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        #expect(throws: HubError.self) { try reader.column(Int(Int32.max)) }
    }

    @Test(
        arguments: [
            ([0x0D], 1), ([0x0C, 0x07, 0x00, 0x00], 1), ([0x80], 1), ([0x81, 0xFF], 1),
            ([0x89, 0x01, 0x00], 1),
            ([0x02, 0x03, 0x00], 1), ([0x02, 0x02, 0x00, 0x00], 1), ([0x02, 0x02, 0x00, 0x02], 1),
            ([0x02, 0x00, 0x80, 0x00], 1),
            ([0x02, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], 1),
            ([0x04, 0x00, 0x02, 0xC3], 1), ([0x04, 0x00, 0x02, 0x02, 0xC3, 0xA9], 2),
            ([0x04, 0x00, 0x01], 1), ([0x01, 0x03, 0x01, 0xFF], 1), ([0x01, 0x05], 1),
            ([0x07, 0x00], 1), ([0x07, 0x01, 0x31, 0x00], 1), ([0x07, 0x01, 0xC3, 0x00], 1),
            ([0x07, 0x01, 0x2D, 0x00], 1), ([0x07, 0x01, 0x30, 0x0A], 1),
            ([0x07, 0x02, 0x30, 0x30, 0x64], 1), ([0x08, 0x12, 0x00, 0x00], 1), ([0x09, 0x00], 1),
            ([0x0A, 0x00, 0x00, 0x00, 0x00], 1), ([0x0B, 0x00, 0x00], 1),
        ] as [([UInt8], Int)])
    func `is refused where it is none`(bytes: [UInt8], count: Int) {
        var reader = ByteReader(bytes)
        #expect(throws: HubError.self) { try reader.column(count) }
    }
}

@Suite(.ownThreads) struct `An answer as it comes in` {
    @Test(arguments: WireEncoding.allCases)
    func `is cut into its frames wherever its pieces end`(encoding: WireEncoding) throws {
        for seed in UInt64(0)..<100 {
            var random = SeededGenerator(seed: seed)
            let frames = (0..<5).map { _ in random.frame() }
            let bytes = frames.reduce(into: encoding.beginning) { $0 += encoding.encoded($1) }
            var reader = FrameReader(encoding, maximumFrameBytes: 10_000_000)
            var read: [Frame] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int.random(in: 1...40, using: &random))
                rest = rest.dropFirst(piece.count)
                reader.add(Array(piece))
                while let frame = try reader.next() { read.append(frame) }
            }
            #expect(read == frames, "seed \(seed)")
            #expect(try reader.next(isLast: true) == nil)
        }
    }

    @Test func `has no frame beyond the limit`() {
        let frame = Frame.end(End(hasMore: false))
        for encoding in WireEncoding.allCases {
            var reader = FrameReader(encoding, maximumFrameBytes: 3)
            reader.add(encoding.beginning + encoding.encoded(frame))
            #expect(throws: HubError.self) { try reader.next() }
        }
        var reader = FrameReader(.blocks, maximumFrameBytes: 1_000)
        reader.add(Array("MRB1".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F])
        #expect(throws: HubError.self) { try reader.next() }
        reader = FrameReader(.blocks, maximumFrameBytes: 1_000)
        reader.add(Array("<html>".utf8))
        #expect(throws: HubError.self) { try reader.next() }
    }
}

@Suite(.ownThreads) struct `A gzip stream` {
    @Test func `is given up once where zlib does not begin it`() {
        for _ in 0..<100 { #expect(throws: HubError.self) { try GzipWriter(level: 99) } }
    }

    @Test func `comes back, whatever its pieces`() throws {
        for seed in UInt64(0)..<30 {
            var random = SeededGenerator(seed: seed)
            let length = [0, 1, 32_768, 65_536, 65_537, 300_000].randomElement(using: &random) ?? 0
            let isRandom = Bool.random(using: &random)
            let plain = (0..<length).map { _ in
                isRandom ? UInt8.random(in: .min ... .max, using: &random) : 7
            }
            let writer = try GzipWriter()
            let half = length / 2
            let first = writer.write(Array(plain[..<half]))
            let packed = first + writer.write(Array(plain[half...]), isLast: true)
            // What came so far can be unpacked.
            #expect(try inPieces(first, by: 1_000, &random).0 == Array(plain[..<half]))
            let (read, isAtEnd) = try inPieces(packed, by: 70_000, &random)
            #expect(read == plain)
            #expect(isAtEnd)
        }
    }

    private func inPieces(
        _ packed: [UInt8], by pieces: Int, _ random: inout SeededGenerator
    ) throws -> ([UInt8], Bool) {
        let reader = try GzipReader(limit: 1_000_000)
        var plain: [UInt8] = []
        var rest = packed[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...pieces, using: &random))
            rest = rest.dropFirst(piece.count)
            reader.add(Array(piece))
            while let chunk = try reader.read() { plain += chunk }
        }
        return (plain, reader.isAtEnd)
    }

    private func read(_ packed: [UInt8], limit: Int = 9) throws -> Bool {
        try unpacked(packed, limit: limit).isWhole
    }

    @Test func `has an end, and a limit`() throws {
        let packed = try GzipWriter().write([UInt8](repeating: 0, count: 1_000_001), isLast: true)
        #expect(throws: HubError.self) { try read(packed, limit: 1_000_000) }
        #expect(try read(packed, limit: 1_000_001))
        let small = try GzipWriter().write([1, 2, 3], isLast: true)
        #expect(throws: HubError.self) { try read(small + [0]) }
        #expect(throws: HubError.self) { try read([1, 2, 3]) }
        var damaged = small
        damaged[damaged.count - 5] ^= 1
        #expect(throws: HubError.self) { try read(damaged) }
        #expect(try !read(Array(small.dropLast())))
    }
}
