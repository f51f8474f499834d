import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `A quoted text` {
    @Test(arguments: [
        ("a", "\"a\""), ("", "\"\""), ("a\"b", "\"a\"\"b\""), ("\"", "\"\"\"\""),
        ("\"\u{301}", "\"\"\"\u{301}\""), ("\r\n\"", "\"\r\n\"\"\""),
    ])
    func `has each quote twice, whatever stands behind it`(text: String, quoted: String) {
        #expect(text.quoted(by: "\"").hasSameBytes(as: quoted))
    }

    @Test func `is read back as it was`() {
        for seed in lawSeeds(500) {
            var random = SeededGenerator(seed: seed)
            let pieces = hardTexts + ["'", "''", "\"", "\u{301}"]
            let text = (0..<random.below(6)).map { _ in random.one(of: pieces) }.joined()
            #expect(
                text.quoted(by: "'").unquoted(by: "'")?.hasSameBytes(as: text) == true,
                "seed \(seed)")
        }
    }

    @Test(arguments: ["", "'", "a", "'a", "a'", "'a'b'", "'a''", "\"a\""])
    func `that is none is not read`(text: String) {
        #expect(text.unquoted(by: "'") == nil)
    }
}
