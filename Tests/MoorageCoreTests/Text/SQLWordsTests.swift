import MoorageCore
import TestSupport
import Testing

@Suite(.ownThreads) struct `The words of a trigger` {
    @Test(arguments: [
        ("UPDATE product SET n = 1", ["product"]),
        ("update only public.\"Product line\" as p set n = 1", ["Product line"]),
        ("INSERT INTO a VALUES (1); DELETE FROM `b` WHERE x", ["a", "b"]),
        ("INSERT OR REPLACE INTO [a] VALUES (1)", ["a"]),
        ("REPLACE INTO a VALUES (1); SELECT REPLACE(x, 'INTO b', '')", ["a"]),
        ("INSERT IGNORE a SET x = 1; TRUNCATE TABLE c", ["a", "c"]),
        ("INSERT INTO a VALUES (1) ON CONFLICT (x) DO UPDATE SET y = 2", ["a"]),
        ("SELECT x FROM a WHERE y FOR UPDATE; -- UPDATE b\n/* DELETE FROM c */", []),
        ("MERGE INTO a USING b ON true WHEN MATCHED THEN UPDATE SET x = 1", ["a"]),
        ("RAISE 'UPDATE a'; EXECUTE $q$DELETE FROM a$q$", []),
        ("FOREIGN KEY (x) REFERENCES a ON UPDATE CASCADE", []),
        ("IF TG_OP = 'UPDATE' THEN DELETE FROM a; END IF", ["a"]),
    ])
    func `name the tables that are written`(sql: String, written: [String]) {
        #expect(SQLWords(sql).written == written)
    }

    @Test(arguments: [
        ("BEGIN NEW.email := lower(NEW.email); RETURN NEW; END", true),
        ("BEGIN new.email = lower(new.email); RETURN NEW; END", true),
        ("SET NEW.a = 1", true), ("SET @x = 1, NEW.a = 2", true),
        ("BEGIN NEW := OLD; RETURN NEW; END", true),
        ("IF NEW.a = 1 THEN RAISE 'no'; END IF", false),
        ("INSERT INTO log VALUES (NEW.a)", false),
        ("UPDATE x SET y = NEW.a WHERE NEW.b = z", false),
    ])
    func `tell whether the row is changed`(sql: String, isChanged: Bool) {
        #expect(SQLWords(sql).assignsNewRow == isChanged)
    }

    @Test func `end where their quotes end`() {
        #expect(SQLWords(#"'it\'s' x"#, hasEscapes: true).words.map(\.text) == ["it's", "x"])
        #expect(SQLWords(#"'it\' x"#).words.map(\.text) == [#"it\"#, "x"])
        #expect(SQLWords("'it''s' \"a\"\"b\"").words.map(\.text) == ["it's", "a\"b"])
        #expect(
            SQLWords("$a$ x; $b$ $a$;y").statements.map { $0.words.map(\.text) } == [
                [" x; $b$ "], ["y"],
            ])
    }

    /// What a stranger wrote may end anywhere.
    @Test(arguments: ["'", "\"a", "/*", "--", "$a$", "[", "a.", "NEW", "NEW.", "UPDATE", "CREATE"])
    func `of half a text are read, too`(sql: String) {
        let words = SQLWords(sql)
        _ = (words.written, words.assignsNewRow, words.statements)
    }

    @Test func `stand where their text does`() {
        let sql = "a /* , */ \"b\"\"c\" 'é' [d e] $q$x$q$ (é) -- z"
        let bytes = Array(sql.utf8)
        let places = SQLWords(sql).words.map { String(decoding: bytes[$0.range], as: UTF8.self) }
        #expect(places == ["a", "\"b\"\"c\"", "'é'", "[d e]", "$q$x$q$", "(", "é", ")"])
        // A quote that nothing closes reaches to the end.
        #expect(SQLWords("a 'b").words.map(\.range) == [0..<1, 2..<4])
    }
}
