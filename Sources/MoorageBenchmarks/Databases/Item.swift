import MoorageCore

/// The row that everything is measured with: a uuid as text, two texts of about 20 characters, two
/// integers, a real and a time as text of 24.
struct Item: Sendable {
    var id: String
    var name: String
    var note: String
    var quantity: Int64
    var flags: Int64
    var price: Double
    var updatedAt: String

    static let columns = ["id", "name", "note", "quantity", "flags", "price", "updated_at"]
    static let table = TableColumns(name: "item", columns: columns)

    static let sqliteSchema = """
        CREATE TABLE item (
          id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, note TEXT, quantity INTEGER,
          flags INTEGER, price REAL, updated_at TEXT)
        """
    static let postgresSchema = """
        CREATE TABLE item (
          id text PRIMARY KEY, name text NOT NULL, note text, quantity bigint, flags bigint,
          price double precision, updated_at text)
        """

    var values: [Value] {
        [
            .text(id), .text(name), .text(note), .integer(quantity), .integer(flags), .real(price),
            .text(updatedAt),
        ]
    }

    /// The same seed gives the same rows, in no order.
    static func rows(_ count: Int, seed: UInt64) -> [Item] {
        var random = Random(state: seed)
        return (0..<count).map { _ in
            let second = Int64.random(in: 0..<60, using: &random)
            return Item(
                id: UUIDText.random(using: &random), name: words(&random), note: words(&random),
                quantity: Int64.random(in: 0..<1_000, using: &random),
                flags: Int64.random(in: 0..<100_000, using: &random),
                price: Double(Int64.random(in: 0..<1_000_000, using: &random)) / 100,
                updatedAt:
                    "2026-03-1\(second % 10)T08:\(second + 10 > 59 ? 59 : second + 10):07.123Z")
        }
    }

    /// In an order that is neither that of the keys nor the one in which they were made.
    static func shuffled(_ items: [Item], seed: UInt64) -> [Item] {
        var random = Random(state: seed)
        return items.shuffled(using: &random)
    }

    private static let vocabulary = [
        "alpha", "river", "stone", "green", "table", "order", "north", "paper", "cloud", "seven",
        "light", "house",
    ]

    private static func words(_ random: inout Random) -> String {
        (0..<4).map { _ in vocabulary[Int.random(in: 0..<vocabulary.count, using: &random)] }
            .joined(separator: " ")
    }

    /// SplitMix64.
    private struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }
}
