import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// No MySQL server is needed here: the tests check the statements for it against its documentation.
@Suite(.ownThreads) struct `What MySQL 8 is sent` {
    private static let kind = ServerKind(greeting: "8.0.36")

    /// What MySQL 8.0.22 does not understand, or understands in another way.
    private static let foreign = [
        "CREATE OR REPLACE", " RETURNING ", "nopad", "WITHOUT OVERLAPS", "FOR SYSTEM_TIME",
        "SYSTEM VERSIONING",
        "max_statement_time", "in_predicate_conversion_threshold", "rowid_filter",
        "check_constraint_checks",
        "innodb_snapshot_isolation", "server_uid", "CREATE TRIGGER IF NOT EXISTS", "JSON_DETAILED",
        "json_valid(", "CREATE SEQUENCE", "NEXTVAL", "EXECUTE IMMEDIATE", "BINLOG ADMIN",
        "PERSISTENT",
    ]

    /// Words of the documentation's list that are names only in quotes.
    private static let reserved: Set<String> = [
        "all", "array", "as", "both", "by", "call", "case", "change", "check", "column",
        "condition", "cross",
        "cube", "cume_dist", "databases", "default", "delayed", "dense_rank", "describe", "div",
        "dual", "each",
        "empty", "except", "exists", "explain", "first_value", "for", "from", "function",
        "generated", "get",
        "grant", "group", "grouping", "groups", "having", "if", "index", "intersect", "interval",
        "into", "join",
        "json_table", "key", "keys", "kill", "lag", "last_value", "lateral", "lead", "leading",
        "leave", "left",
        "like", "limit", "lines", "load", "lock", "long", "loop", "match", "mod", "natural", "not",
        "nth_value",
        "ntile", "null", "of", "on", "optimize", "option", "or", "order", "outer", "over",
        "partition",
        "percent_rank", "primary", "range", "rank", "read", "reads", "recursive", "references",
        "release",
        "repeat", "replace", "require", "resignal", "return", "right", "row", "row_number", "rows",
        "schema",
        "schemas", "select", "sensitive", "separator", "set", "show", "signal", "spatial", "sql",
        "ssl",
        "starting", "stored", "system", "table", "then", "to", "trailing", "trigger", "undo",
        "union", "unique",
        "unlock", "update", "usage", "use", "using", "values", "virtual", "when", "where", "while",
        "window",
        "with", "write", "xor",
    ]

    /// What MySQL would find wrong with a statement; empty if nothing.
    static func problems(_ sql: String) -> [String] {
        var found = foreign.filter { sql.range(of: $0, isCaseSensitive: false) }
        let words = words(of: sql)
        for (place, word) in words.enumerated() {
            // An alias, or a column of a list of rows, is a name.
            if place > 0, words[place - 1].lowercased() == "as",
                reserved.contains(word.lowercased()),
                !(place > 1 && words[..<place].last { $0.lowercased() == "cast" } != nil)
            {
                found.append("the alias \(word)")
            }
            if word == "JSON_TABLE", !hasAlias(after: place, in: words) {
                found.append("JSON_TABLE without alias")
            }
        }
        return found
    }

    private static func hasAlias(after place: Int, in words: [String]) -> Bool {
        var depth = 0
        for index in words.indices.dropFirst(place + 1) {
            if words[index] == "(" { depth += 1 }
            if words[index] == ")" { depth -= 1 }
            if depth == 0 { return index + 1 < words.count && words[index + 1] == "AS" }
        }
        return false
    }

    /// Words and parentheses, without what is in quotes.
    private static func words(of sql: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        func close() {
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        for character in sql {
            if let open = quote {
                if character == open { quote = nil }
                continue
            }
            switch character {
            case "'", "\"", "`":
                close()
                quote = character
                words.append("quoted")
            case "(", ")", ",", ";":
                close()
                words.append(String(character))
            case let other where other.isWhitespace: close()
            default: word.append(character)
            }
        }
        close()
        return words
    }

    @Test func `is looked at by a reader that finds what is wrong`() {
        #expect(Self.problems("CREATE OR REPLACE TRIGGER x").count == 1)
        #expect(Self.problems("SELECT 1 AS rank, 'returning ' AS x") == ["the alias rank"])
        #expect(
            Self.problems("SELECT 1 FROM JSON_TABLE('[]', '$' COLUMNS (a INT PATH '$'))").count == 1
        )
        #expect(
            Self.problems("SELECT 1 FROM JSON_TABLE('[]', '$' COLUMNS (a INT PATH '$')) AS j") == []
        )
    }

    // MARK: A table of every type

    private static let columns: [(type: String, column: String, extra: String, initial: String?)] =
        [
            ("bigint", "bigint unsigned", "auto_increment", nil),
            ("varchar", "varchar(40)", "", "abc"),
            ("int", "int", "", "7"), ("tinyint", "tinyint(1)", "", "1"),
            ("bit", "bit(1)", "", "b'1'"),
            ("decimal", "decimal(10,2)", "", "1.50"), ("json", "json", "", nil),
            (
                "datetime", "datetime(3)", "DEFAULT_GENERATED on update CURRENT_TIMESTAMP(3)",
                "CURRENT_TIMESTAMP(3)"
            ),
            ("timestamp", "timestamp", "", nil), ("enum", "enum('a','b')", "", "a"),
            ("blob", "blob", "", nil),
            ("double", "double", "DEFAULT_GENERATED", "(1 + 1)"),
            ("int", "int", "VIRTUAL GENERATED", nil),
            ("int", "int", "STORED GENERATED", nil), ("varchar", "varchar(9)", "INVISIBLE", nil),
            ("year", "year", "", nil), ("date", "date", "", nil), ("time", "time(6)", "", nil),
        ]

    private static func natives(_ kind: ServerKind) -> [NativeColumn] {
        columns.enumerated().map { place, column in
            let isText = ["varchar", "enum"].contains(column.type)
            return ColumnRow(
                table: "t", name: "c\(place)", defaultText: column.initial, isNullable: place > 1,
                dataType: column.type, columnType: column.column,
                characterLength: isText ? 40 : nil,
                octetLength: isText ? 160 : nil, precision: column.type == "datetime" ? 3 : nil,
                characterSet: isText ? "utf8mb4" : nil,
                collation: isText ? "utf8mb4_0900_ai_ci" : nil,
                extra: column.extra, isJSON: false
            ).column(kind)
        }
    }

    private static func tracking(_ kind: ServerKind, isScoped: Bool) throws -> TrackingSQL {
        let natives = natives(kind)
        let path = ScopePath(
            levels: [ScopePath.Level(table: "t", conditions: [], link: nil)],
            source: .column(kind: "area", "c2", .integer))
        let table = AttachedTable(
            number: 3,
            description: TableDescription(
                name: "t", columns: natives.map(\.description), primaryKey: [0, 1]),
            scopes: isScoped ? [path] : [])
        let shape = try TableShape(
            table, columns: natives,
            facts: TableFacts(
                mayChangeRows: false, isInCycle: false, isRestrictedOnly: true, referenced: []),
            kind: kind)
        let edge = ForeignEdge(
            child: "t", columns: ["c0"], parent: "up", referenced: ["id"], onDelete: .cascade,
            onUpdate: .cascade)
        let own = ForeignEdge(
            child: "t", columns: ["c2"], parent: "t", referenced: ["c0"], onDelete: .setNull,
            onUpdate: .noAction)
        return TrackingSQL(shape, edges: [edge, own])
    }

    @Test func `says its version, and is old or new enough`() throws {
        let kind = try #require(Self.kind)
        #expect(!kind.isMariaDB && kind.version == 80_036 && kind.problem == nil)
        #expect(ServerKind(greeting: "8.4.2-commercial")?.problem == nil)
        #expect(ServerKind(greeting: "9.1.0")?.problem == nil)
        #expect(ServerKind(greeting: "8.0.21")?.problem?.contains("8.0.22") == true)
        #expect(ServerKind(greeting: "5.7.44-log")?.problem != nil)
        #expect(kind.identities == ["server_uuid"])
        #expect(kind.binaryCollation == "utf8mb4_0900_bin")
        #expect(!kind.bindsArrays)
    }

    @Test func `for its tables and triggers is in its words`() throws {
        let kind = try #require(Self.kind)
        for isScoped in [false, true] {
            let sql = try Self.tracking(kind, isScoped: isScoped)
            var statements = MySQLConnection.metadataSteps(kind)
            statements += sql.tableSteps { _, columns in columns.map { _ in "int NULL" } }
            statements += try sql.triggers().map { sql.step($0, isReplacing: false) }
            statements += try sql.triggers().map { sql.step($0, isReplacing: true) }
            statements += sql.repairSteps + [sql.lossQuery, sql.restamp]
            statements += sql.scopes(of: "\(sql.changed) AS c", sql.shape.keyList("c"))
            for statement in statements {
                #expect(Self.problems(statement) == [], "\(statement)")
            }
            #expect(statements.contains { $0.contains("COLLATE utf8mb4_0900_bin") })
        }
    }

    /// Under LOCK TABLES nobody writes between the two statements. According to the documentation,
    /// CREATE TRIGGER and DROP TRIGGER are allowed for a table that is locked for writing. The lock
    /// also covers what the table's triggers use. UNLOCK TABLES ends the lock. A prepared text may
    /// not contain several statements.
    @Test func `to replace a trigger locks its table`() throws {
        let kind = try #require(Self.kind)
        let sql = try Self.tracking(kind, isScoped: false)
        let trigger = try #require(
            try sql.triggers().first { $0.event == "AFTER UPDATE" && $0.table == "t" })
        let step = sql.step(trigger, isReplacing: true)
        let lines = step.split(separator: "\n").map(String.init)
        #expect(lines.first == "LOCK TABLES \"t\" WRITE;")
        #expect(lines[1] == "DROP TRIGGER IF EXISTS \"moorage_update_3_t\";")
        #expect(
            lines[2] == "CREATE TRIGGER \"moorage_update_3_t\" AFTER UPDATE ON \"t\" FOR EACH ROW")
        #expect(lines.last == "UNLOCK TABLES")
    }

    @Test func `to open a session has no variable that it does not know`() throws {
        let kind = try #require(Self.kind)
        let settings = MySQLConnection.settings(.init(statementTimeout: .seconds(3)), kind)
        for statement in settings { #expect(Self.problems(statement) == [], "\(statement)") }
        let all = settings.joined(separator: ";")
        #expect(all.contains("max_execution_time = 3000"))
        // MySQL caches the sizes and counters of information_schema for a day.
        #expect(all.contains("information_schema_stats_expiry = 0"))
        #expect(all.contains("SET NAMES utf8mb4 COLLATE utf8mb4_0900_bin"))
        #expect(!all.contains("NO_AUTO_CREATE_USER"))
    }

    /// Literals come without quotes, NULL as NULL, and expressions with a word in `extra`.
    @Test func `is understood when it tells defaults`() throws {
        let kind = try #require(Self.kind)
        let natives = Self.natives(kind)
        let defaults = natives.map(\.defaultValue)
        #expect(defaults[0] == .central)
        #expect(defaults[1] == .value(.text("abc")))
        #expect(defaults[2] == .value(.integer(7)))
        #expect(defaults[3] == .value(.integer(1)))
        #expect(defaults[4] == .central)
        #expect(defaults[5] == .value(.text("1.5")) || defaults[5] == .value(.text("1.50")))
        #expect(defaults[6] == .none)
        #expect(defaults[7] == .central)
        #expect(defaults[11] == .central)
        #expect(natives[7].changesByItself)
        #expect(
            natives.map(\.isGenerated).enumerated().filter(\.element).map(\.offset) == [12, 13])
        #expect(natives[0].isAutomatic)
        #expect(natives[6].family == .json && natives[3].type == .boolean)
    }
}

extension String {
    fileprivate func range(of part: String, isCaseSensitive: Bool) -> Bool {
        lowercased().contains(part.lowercased())
    }
}
