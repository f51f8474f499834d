import MoorageCore

/// Random numbers from a seed: the same seed gives the same numbers on every machine.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var source: SplitMix64

    /// - Parameter seed: Any number. Different seeds give different numbers.
    public init(seed: UInt64) { source = SplitMix64(seed: seed) }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 { source.next() }

    /// A UUID in lower case.
    public mutating func uuid() -> String {
        UUIDText.random(using: &self)
    }

    /// True in so many of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
}
