import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `The labels of a check` {
    @Test(arguments: [
        // SQLite, as the owner wrote it
        "status IN ('open','closed')", "status in ( 'open', 'closed' )",
        "(\"status\" IN ('open', 'closed'))", "[status] IN ('open', 'closed')",
        "`status` IN ('open', 'closed')",
        // PostgreSQL
        "(status = ANY (ARRAY['open'::text, 'closed'::text]))",
        "((status)::text = ANY ((ARRAY['open'::character varying, 'closed'::character varying])::text[]))",
        "((status)::text = ANY (ARRAY[('open'::character varying)::text, ('closed'::character varying)::text]))",
        "(status = ANY (ARRAY['open'::bpchar, 'closed'::bpchar]))",
        "(status = ANY (ARRAY['open'::\"Ext s\".citext, 'closed'::\"Ext s\".citext]))",
        // MariaDB and MySQL
        "`status` in ('open','closed')", "\"status\" in ('open','closed')",
        #"(`status` in (_utf8mb4\'open\',_utf8mb4\'closed\'))"#,
        "(`status` in (_utf8mb4'open',_utf8mb4'closed'))",
    ])
    func `are read from the spelling of each database`(check: String) throws {
        let found = try #require(CheckLabels(check))
        #expect(found.column == "status")
        #expect(found.labels == ["open", "closed"])
    }

    @Test(arguments: [
        ("\"a\"\"b\" IN ('it''s', '', ')', ', ')", "a\"b", ["it's", "", ")", ", "]),
        ("état IN ('été')", "état", ["été"]),
        ("(x = ANY (ARRAY['a]'::text, '['::text]))", "x", ["a]", "["]),
        (#"(`a` in (_utf8mb4\'\'))"#, "a", [""]),
    ])
    func `may be any texts of any column`(check: String, column: String, labels: [String]) throws {
        let found = try #require(CheckLabels(check))
        #expect(found.column == column)
        #expect(found.labels == labels)
    }

    @Test(arguments: [
        "", "status", "status IN ()", "status IN ('open',)", "status IN 'open'", "IN ('open')",
        "status NOT IN ('open')", "NOT status IN ('open')", "status IN ('open') OR x = 1",
        "x = 1 OR status IN ('open')", "lower(status) IN ('open')", "t.status IN ('open')",
        "status COLLATE NOCASE IN ('open')", "status IN ('open') COLLATE NOCASE",
        "status IN (1, 2)", "status IN ('open', NULL)", "status IN ('a' || 'b')",
        "status IN (SELECT 'open')", "status IN (\"open\")", "status IN (x'00')",
        "status IN ('open' /* or closed */)", "status IN ('open', -- this\n 'closed')",
        "status IN ('op", "status IN ('open'", "status IN ('open'))", #"status IN ('it\'s')"#,
        #"(`status` in (_utf8mb4\'it\\\'s\'))"#, #"(status = ANY (ARRAY[E'a\\b'::text]))"#,
        "(status = 'open'::text)", "(status <> ALL (ARRAY['open'::text]))",
        "(status = ANY ('{open}'::text[]))", "((status)::text ~ 'open'::text)",
        "(status = ANY (ARRAY['open'::text || 'x'::text]))", "status = ANY (status)", "(((", ")(",
        "::", "= ANY", "[",
    ])
    func `are none for any other check`(check: String) {
        #expect(CheckLabels(check) == nil)
    }

    @Test func `are none for a text that is too long to look at`() {
        let deep = String(repeating: "(", count: 5_000) + "a" + String(repeating: ")", count: 5_000)
        #expect(CheckLabels(deep) == nil)
        let long = Array(repeating: "'label'", count: 3_000).joined(separator: ",")
        #expect(CheckLabels("a IN (\(long))") == nil)
    }
}
