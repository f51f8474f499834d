import Foundation
package import MoorageCore

/// Whether suites take their long counts, as they do at night: `MOORAGE_NIGHTLY` is `1`.
package let isNightly = ProcessInfo.processInfo.environment["MOORAGE_NIGHTLY"] == "1"

/// How often a law is tried: the long count at night.
package func trials(_ usual: Int, nightly: Int? = nil) -> Int {
    isNightly ? nightly ?? usual * 10 : usual
}

/// What the seeds of laws begin with: 0, and at night `MOORAGE_SEED`, so that each night tries others.
package let lawSeed: UInt64 =
    isNightly
    ? ProcessInfo.processInfo.environment["MOORAGE_SEED"].flatMap(UInt64.init) ?? 0 : 0

/// The seeds with which a law is tried, as many as ``trials(_:nightly:)``.
package func lawSeeds(_ usual: Int, nightly: Int? = nil) -> Range<UInt64> {
    lawSeed..<lawSeed + UInt64(trials(usual, nightly: nightly))
}

/// Text that has broken a sync before, somewhere.
package let hardTexts = [
    "", " ", "\0", "a\0b", "é", "e\u{301}", "🇳🇴", "👩‍👩‍👧", "\u{FEFF}x", "\u{2028}", "\u{FFFF}",
    "\u{10FFFF}", "\r\n", "\"\\/\u{8}\u{C}\t", "'; DROP TABLE x; --", "NULL", "00042", "42",
    "9.80", "1e5", "\\N", "\\x", "日本語", "ß", "SS", "İ", "a\u{200D}b", "\u{7F}",
]

package let hardIntegers: [Int64] = [
    0, 1, -1, .max, .min, 1 << 53, 1 << 53 + 1, -(1 << 53) - 1, 255, 256, 65_536,
]

package let hardReals: [Double] = [
    0, -0.0, 1, -1, 0.1, 1e16, 1e-7, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
    .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    9_007_199_254_740_992,
    .pi, 1.7976931348623157e308, 100,
]

extension Value {
    /// A value of any kind, often a hard one.
    package static func random(using random: inout SeededGenerator) -> Value {
        switch random.below(6) {
        case 0: .null
        case 1: .integer(random.once(in: 2) ? random.one(of: hardIntegers) : Int64(random.below(9)))
        case 2: .real(random.one(of: hardReals))
        case 3: .text(random.one(of: hardTexts) + random.one(of: hardTexts))
        case 4: .text(random.one(of: hardTexts))
        default: .blob((0..<random.below(12)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
        }
    }
}
