import Foundation
import MoorageCore

/// SplitMix64: a seed in a failing test's name is enough to run it again.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 0x2545_F491_4F6C_DD1D }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
    mutating func once(in times: Int) -> Bool { below(times) == 0 }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}

/// How often a law is tried: the long count when `MOORAGE_NIGHTLY` is set.
func trials(_ usual: Int, nightly: Int) -> Int {
    ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] == nil ? usual : nightly
}

/// Text that has broken a sync before, somewhere.
let hardTexts = [
    "", " ", "\0", "a\0b", "é", "e\u{301}", "🇳🇴", "👩‍👩‍👧", "\u{FEFF}x", "\u{2028}", "\u{FFFF}",
    "\u{10FFFF}", "\r\n", "\"\\/\u{8}\u{C}\t", "'; DROP TABLE x; --", "NULL", "00042", "42",
    "9.80", "1e5", "\\N", "\\x", "日本語", "ß", "SS", "İ", "a\u{200D}b", "\u{7F}",
]

let hardIntegers: [Int64] = [
    0, 1, -1, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 255, 256, 65_536,
]

let hardReals: [Double] = [
    0, -0.0, 1, -1, 0.1, 1e16, 1e-7, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    9_007_199_254_740_992,
    .pi, 1.7976931348623157e308, 100,
]

extension Value {
    static func random(using random: inout SeededGenerator) -> Value {
        switch random.below(6) {
        case 0: .null
        case 1: .integer(random.once(in: 2) ? random.pick(hardIntegers) : Int64(random.below(9)))
        case 2: .real(random.pick(hardReals))
        case 3: .text(random.pick(hardTexts) + random.pick(hardTexts))
        case 4: .text(random.pick(hardTexts))
        default: .blob((0..<random.below(12)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
    }
}
