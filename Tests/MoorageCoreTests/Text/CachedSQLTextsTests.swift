import MoorageCore
import TestSupport
import Testing

@Suite(.ownThreads) struct `Cached SQL texts` {
    @Test func `are kept for good, and no more than so many`() {
        var texts = CachedSQLTexts()
        for number in 0..<CachedSQLTexts.maximum {
            let isKept = texts.keep("SELECT \(number)")
            #expect(isKept)
        }
        let (old, new) = (texts.keep("SELECT 0"), texts.keep("SELECT -1"))
        #expect(old && !new)
        texts.removeAll()
        let isKept = texts.keep("SELECT -1")
        #expect(isKept)
    }

    /// KELVIN SIGN is a `K` to Swift, and another name to SQLite.
    @Test(arguments: ["SELECT \u{212A} FROM t", "SELECT é FROM t", "SELECT e\u{301} FROM t"])
    func `are in ASCII, for which nothing else is taken`(text: String) {
        var texts = CachedSQLTexts()
        _ = texts.keep("SELECT K FROM t")
        let isKept = texts.keep(text)
        #expect(!isKept)
    }
}
