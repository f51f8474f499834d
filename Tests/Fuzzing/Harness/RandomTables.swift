import MoorageTesting

/// Tables as owners write them.
enum RandomTables {
    static func sql(using random: inout SeededGenerator) -> String {
        (0...random.below(2)).map { table("t\($0)", &random) }.joined(separator: ";\n")
    }

    private static func table(_ name: String, _ random: inout SeededGenerator) -> String {
        let names = ["id", "\"É\"", "\"é\"", "[a b]", "`c`", "x", "Y"].shuffled(using: &random)
            .prefix(random.below(5) + 1)
        var parts = names.map { column($0, &random) }
        let key = names.prefix(random.below(2) + 1).joined(separator: ", ")
        parts.append("PRIMARY KEY (\(key))")
        if random.once(in: 3) { parts.append("UNIQUE (\(random.one(of: Array(names))))") }
        if random.once(in: 4) {
            parts.append(
                "FOREIGN KEY (\(names[0])) REFERENCES t0 ON DELETE CASCADE")
        }
        let end = random.one(of: ["", "", " WITHOUT ROWID"])
        let index =
            random.once(in: 4)
            ? "; CREATE UNIQUE INDEX \"i \(name)\" ON \(name) (\(names[0]) DESC)" : ""
        return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))\(end)\(index)"
    }

    private static func column(_ name: String, _ random: inout SeededGenerator) -> String {
        let type = random.one(of: [
            "INTEGER", "INT", "TEXT", "BLOB", "REAL", "DECIMAL(10,2)", "BOOLEAN", "UUID", "JSON",
            "DATE", "TIMESTAMP", "VARCHAR(5)",
        ])
        let more = random.one(of: [
            "", "", "", " NOT NULL", " DEFAULT 'it''s'", " DEFAULT (1+1)", " UNIQUE",
            " COLLATE NOCASE", " CHECK (\(name) <> 9)", " NOT NULL DEFAULT 0",
            " UNIQUE ON CONFLICT REPLACE", " GENERATED ALWAYS AS (1) VIRTUAL",
        ])
        return "\(name) \(type)\(more)"
    }
}
