/// Names that break careless SQL generators.
enum NastyNames {
    static let words = [
        "order", "select", "group", "rowid", "old", "new", "key", "value", "scope", "live",
        "version",
        "live_since", "changed_at", "k0", "k1", "i", "x", "l", "r", "t", "s", "p", "q", "at", "seq",
        "row",
        "table", "primary", "from", "where", "null", "true", "user", "end", "begin", "tables",
        "columns",
        "c0", "p0", "n", "j", "id", "oid", "_rowid_", "track", "excluded", "row_id", "now",
    ]

    /// On SQLite and PostgreSQL also letters beyond the basic plane, which MariaDB's names cannot
    /// have.
    static let punctuated = [
        "a b", "a\"b", "\"", "a'b", "a`b", "100%", "%s", "back\\slash", "a.b", "a;b", "new\nline",
        "tab\there", "\u{26f5} ship", "\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "\u{200f}rtl", "caf\u{e9}",
        "cafe\u{301}", "\"\u{301}", "MiXeD", "1st", "$1", "?1", ":name", "@x", "-- x", "/* x */",
        "{x}",
        "[x]", "a,b", "(a)", "$$", "x\u{1}y", "order_refers_1", "long_unique_1", "#", "a=b", "<a>&",
        "123", "1e3", "0x1", "-1", "''", "``",
        "sixty_three_characters_of_which_the_first_sixty_are_the_same_01",
        "sixty_three_characters_of_which_the_first_sixty_are_the_same_02",
    ]

    /// The words that most likely mean something else in the place of a table's name.
    private static let tableWords = [
        "order", "select", "group", "rowid", "old", "new", "key", "value", "scope", "live",
        "version",
        "excluded", "tables", "columns", "x", "t", "l", "i", "r", "k0", "track", "table",
    ]

    static func all(_ kind: CentreKind) -> [String] {
        words + punctuated
            + (kind == .mariadb ? [] : ["\u{1f6a2} ship", "\u{1f469}\u{1f3fd}\u{200d}\u{1f680}"])
    }

    /// Uses each name for a table and, in another table, for a column. Each table refers to the one
    /// before it.
    static func tables(_ kind: CentreKind) -> [NastyTable] {
        let names = tableWords + all(kind).dropFirst(words.count)
        return names.indices.map { index in
            func name(_ offset: Int) -> String { names[(index + offset) % names.count] }
            let key = [name(1), name(2)]
            let above = index - 1
            let reference =
                index == 0
                ? []
                : [
                    NastyReference(
                        columns: [name(3), name(4)], table: names[above],
                        keys: [name(0), name(1)])
                ]
            return NastyTable(
                name: names[index],
                columns: [
                    NastyColumn(name: name(5), type: .text),
                    NastyColumn(name: name(1), type: .integer),
                    NastyColumn(name: name(3), type: .integer),
                    NastyColumn(name: name(2), type: .text),
                    NastyColumn(name: name(4), type: .text),
                    NastyColumn(name: name(6), type: .smallint),
                ], key: key, references: reference,
                unique: index % 3 == 0 ? [[name(6), name(5)]] : [])
        }
    }

    /// One table that has all names as its columns.
    static func wide(_ kind: CentreKind) -> NastyTable {
        let names = all(kind)
        return NastyTable(
            name: "wide",
            columns: names.enumerated().map { index, name in
                NastyColumn(name: name, type: index % 5 == 0 ? .text : .integer)
            }, key: [names[7], names[0], names[names.count - 1]],
            unique: [[names[11], names[12]]])
    }
}
