import MoorageCore

/// Random numbers from a seed: the same seed gives the same numbers on every machine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var source: SplitMix64

    package init(seed: UInt64) { source = SplitMix64(seed: seed) }

    package mutating func next() -> UInt64 { source.next() }
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
