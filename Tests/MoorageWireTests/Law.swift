import MoorageCore
import MoorageTesting
import Testing

/// What is written is read as the same, and written again as the same bytes.
enum Law {
    static let seeds = lawSeeds(800, nightly: 8_000)

    static func roundTrip<Message: Equatable>(
        _ make: (inout SeededGenerator) -> Message, _ encode: (Message) -> [UInt8],
        _ decode: ([UInt8]) throws -> Message
    ) throws {
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            let message = make(&random)
            let bytes = encode(message)
            let read = try decode(bytes)
            #expect(read == message, "seed \(seed)")
            #expect(encode(read) == bytes, "seed \(seed)")
        }
    }

    /// The same for a message that is one line.
    static func line<Message: Equatable>(
        _ make: (inout SeededGenerator) -> Message, _ encode: (Message) -> [UInt8],
        _ decode: ([UInt8]) throws -> Message
    ) throws {
        try roundTrip(make, encode, decode)
        for seed in seeds {
            var random = SeededGenerator(seed: seed)
            #expect(!encode(make(&random)).contains(0x0A), "seed \(seed)")
        }
    }
}
