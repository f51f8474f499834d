/// Random numbers from a seed: the same seed gives the same numbers on every machine (SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension SeededGenerator {
    /// True in `percent` of a hundred cases.
    package mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &self) < percent
    }

    /// One of the elements; `nil` without elements.
    package mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int.random(in: elements.indices, using: &self)]
    }

    /// A number from 0 up to a bound, which must be above 0.
    package mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True once in `times` cases.
    package mutating func once(in times: Int) -> Bool { below(times) == 0 }

    /// One of the elements; there must be at least one.
    package mutating func one<Element>(of elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
