import MoorageCore
import MoorageTesting
import MoorageWire

extension FuzzTarget {
    /// Frames: what a device reads of a hub's answer, line by line.
    static let frame = FuzzTarget(
        name: "frame", words: messageWords,
        seed: { $0.frame().encoded() },
        problem: { MessageKind.frame.problem(of: $0) })

    /// What a device makes of an answer's bytes: compressed or not, lines or blocks.
    static let stream = FuzzTarget(
        name: "stream", words: messageWords + ["MRB1"],
        seed: { random in
            let encoding = random.one(of: WireEncoding.allCases)
            let frames = (0..<3).map { _ in random.frame() }
            let plain = frames.reduce(into: encoding.beginning) { $0 += encoding.encoded($1) }
            return random.once(in: 2) ? try GzipWriter().write(plain, isLast: true) : plain
        },
        problem: { bytes in
            let limit = 1_000_000
            var plain = bytes
            if bytes.starts(with: Compression.magic) {
                plain = []
                do {
                    let reader = try GzipReader(limit: limit)
                    reader.add(bytes)
                    while let chunk = try reader.read() { plain += chunk }
                } catch is HubError {
                    // What came before may be read all the same.
                }
                if plain.count > limit { return "more came out than may" }
            }
            for encoding in WireEncoding.allCases {
                if let problem = framesProblem(plain, encoding, limit) { return problem }
            }
            return nil
        })

    private static func framesProblem(
        _ bytes: [UInt8], _ encoding: WireEncoding, _ limit: Int
    ) -> String? {
        var reader = FrameReader(encoding, maximumFrameBytes: limit)
        reader.add(bytes)
        do {
            while let frame = try reader.next(isLast: true) {
                var again = FrameReader(encoding, maximumFrameBytes: 64 * limit)
                again.add(encoding.beginning + encoding.encoded(frame))
                guard try again.next() == frame else { return "a frame is read as another" }
            }
        } catch { return nil }
        return nil
    }

    /// Every other document that travels or is kept.
    static let message = FuzzTarget(
        name: "message", words: messageWords,
        seed: { random in
            let kinds = MessageKind.allCases.filter { $0 != .frame && $0 != .cursor }
            return random.message(random.one(of: kinds))
        },
        problem: { bytes in
            for kind in MessageKind.allCases {
                if let problem = kind.problem(of: bytes) { return problem }
            }
            return tableProblem(bytes)
        })

    /// Types and keys that came over the wire are used at once: for signatures, keys, comparing.
    private static func tableProblem(_ bytes: [UInt8]) -> String? {
        guard let schema = try? SchemaDescription(decoding: bytes) else { return nil }
        let again = SchemaDescription(tables: schema.tables.reversed())
        // Cycles may be cut in another place; what is in them stays.
        if Set(again.tables) != Set(schema.tables) { return "ordering lost a table" }
        let values: [Value] = [
            .null, .integer(.min), .real(-0.0), .text("1e400"),
            .text("2024-02-30 24:00:00.9999999"),
            .text("{\"a\":1}"), .blob([1]),
        ]
        for table in schema.tables {
            for value in values {
                let row = [Value](repeating: value, count: table.columns.count)
                let key = table.key(of: row)
                if table.key(key.values) != key { return "a key normalized twice is another" }
                if !table.equal(row, row) { return "a row is not equal to itself" }
                if table.fingerprint(of: row) != table.fingerprint(of: row) {
                    return "a row has two fingerprints"
                }
            }
            let names = table.columns.map(\.name)
            guard let same = table.restricted(to: names) else {
                return "a table cannot be restricted to its own columns"
            }
            if same.signature != table.signature { return "a table has two signatures" }
        }
        return nil
    }
}
