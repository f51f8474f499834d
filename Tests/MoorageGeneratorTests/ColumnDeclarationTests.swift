import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import MoorageGenerator

@Suite(.ownThreads) struct `A column of a new table` {
    private static func declaration(
        _ type: ColumnType, original: String? = nil, default value: ColumnDefault = .none,
        isNullable: Bool = true, labels: [String] = [], isKeyed: Bool = false,
        in dialect: TableDialect
    ) -> String {
        let column = ColumnDescription(
            name: "c", type: type, isNullable: isNullable, defaultValue: value)
        let table = TableDescription(
            name: "t", columns: [ColumnDescription(name: "id", type: .integer), column],
            primaryKey: [0], uniqueKeys: isKeyed ? [[1]] : [])
        let declaration = ColumnDeclaration(
            column: column, details: ColumnDetails(original: original, labels: labels),
            use: ColumnUse(of: 1, in: table, referred: []), dialect: dialect)
        return String(declaration.definition.dropFirst(4))
    }

    @Test(
        arguments: [
            (ColumnType.time(fractionDigits: 0), "TIME", "time(0)", "TIME"),
            (.time(fractionDigits: 6), "TIME", "time", "TIME(6)"),
            (.timestamp(fractionDigits: 0), "TIMESTAMP", "timestamp(0)", "DATETIME"),
            (.timestamp(fractionDigits: 9), "TIMESTAMP", "timestamp", "DATETIME(6)"),
            (.instant(fractionDigits: 2), "TIMESTAMPTZ", "timestamptz(2)", "TIMESTAMP(2) NULL"),
            (.date, "DATE", "date", "DATE"),
            (.decimal, "DECIMAL", "numeric", "DECIMAL(65,30)"),
        ] as [(ColumnType, String, String, String)])
    func `has as many digits as the database can have`(
        type: ColumnType, sqlite: String, postgres: String, mysql: String
    ) {
        #expect(Self.declaration(type, in: .sqlite) == sqlite)
        #expect(Self.declaration(type, in: .postgres) == postgres)
        #expect(Self.declaration(type, in: .mysql) == mysql)
    }

    @Test(
        arguments: [
            ("numeric(10,2)", OriginalType.digits(precision: 10, scale: 2)),
            ("DECIMAL (10 , 2)", .digits(precision: 10, scale: 2)),
            ("decimal(8)", .digits(precision: 8, scale: 0)), ("varchar(40)", .length(40)),
            ("character varying(40)", .length(40)), ("NVARCHAR(160)", .length(160)),
            ("character(5)", .length(5)),
        ] as [(String, OriginalType)])
    func `has the numbers of a type that says them in a known way`(
        name: String, type: OriginalType
    ) {
        #expect(OriginalType(name) == type)
    }

    @Test(arguments: [
        "", "numeric", "numeric()", "numeric(0)", "numeric(2,10)", "numeric(5,-2)",
        "numeric(10,2) unsigned", "numeric(10,2,3)", "decimal(99999999999999999999)",
        "varchar(0)", "varchar(4 0)", "varchar(+4)", "varchar(40); DROP TABLE t",
        "varchar(40))", "varchar((40)", "enum('a(1)')", "time(3)", "mood", "bit(3)",
    ])
    func `has none of any other name`(name: String) {
        #expect(OriginalType(name) == nil)
        #expect(Self.declaration(.decimal, original: name, in: .postgres) == "numeric")
        #expect(Self.declaration(.text, original: name, in: .postgres) == "text")
    }

    @Test func `has the widest form where the database lacks the digits`() {
        func decimal(_ original: String, _ dialect: TableDialect) -> String {
            Self.declaration(.decimal, original: original, in: dialect)
        }
        #expect(decimal("numeric(65,30)", .mysql) == "DECIMAL(65,30)")
        #expect(decimal("numeric(20,10)", .mysql) == "DECIMAL(20,10)")
        #expect(decimal("numeric(66,2)", .mysql) == "DECIMAL(65,30)")
        #expect(decimal("numeric(60,31)", .mysql) == "DECIMAL(65,30)")
        #expect(decimal("numeric(1001,2)", .postgres) == "numeric")
        #expect(Self.declaration(.text, original: "varchar(20000000)", in: .postgres) == "text")
    }

    @Test func `has a length in MySQL where it is short or part of a key`() {
        func text(_ original: String?, labels: [String] = [], isKeyed: Bool = false) -> String {
            Self.declaration(
                .text, original: original, labels: labels, isKeyed: isKeyed, in: .mysql)
        }
        #expect(text(nil) == "LONGTEXT")
        #expect(text("varchar(255)") == "VARCHAR(255)")
        #expect(text("varchar(256)") == "LONGTEXT")
        #expect(text(nil, labels: ["a"]) == "VARCHAR(255)")
        #expect(text(nil, labels: [String(repeating: "a", count: 256)]) == "LONGTEXT")
        #expect(text(nil, isKeyed: true) == "VARCHAR(255)")
        #expect(text("varchar(500)", isKeyed: true) == "VARCHAR(500)")
        #expect(text("varchar(5000)", isKeyed: true) == "VARCHAR(640)")
        #expect(Self.declaration(.blob, isKeyed: true, in: .mysql) == "VARBINARY(255)")
        #expect(Self.declaration(.boolean, isKeyed: true, in: .mysql) == "BIT(1)")
    }

    @Test func `shares the room of a wide key in MySQL with other texts`() {
        let columns = (0..<4).map { ColumnDescription(name: "c\($0)", type: .text) }
        let child = TableDescription(
            name: "child", columns: columns, primaryKey: [0],
            foreignKeys: [
                ForeignKey(
                    columns: [1, 2, 3], referencedTable: "parent",
                    referencedColumns: ["c1", "c2", "c3"])
            ])
        let parent = TableDescription(name: "parent", columns: columns, primaryKey: [0])
        let file = SchemaFile(
            schema: SchemaDescription(tables: [child, parent]),
            details: ["parent": TableDetails(indexes: [[0, 1, 2, 3]])])
        for statement in file.createStatements(forTables: ["child", "parent"], in: .mysql) {
            #expect(statement.contains("`c0` VARCHAR(255) NOT NULL"))
            #expect(statement.contains("`c1` VARCHAR(213),"))
            #expect(statement.contains("`c3` VARCHAR(213),"))
        }
        let parts = "KEY (`c0`(160), `c1`(160), `c2`(160), `c3`(160))"
        #expect(file.createStatements(forTables: ["parent"], in: .mysql)[0].contains(parts))
    }

    @Test(
        arguments: [
            (ColumnType.integer, Value.integer(-5), "-5", "-5", "-5"),
            (.boolean, .integer(7), "1", "true", "1"), (.boolean, .integer(0), "0", "false", "0"),
            (.real, .real(0.5), "0.5", "0.5", "'0.5'"), (.real, .integer(2), "2.0", "2.0", "'2.0'"),
            (.decimal, .text("9.80"), "'9.8'", "'9.8'", "'9.8'"),
            (.decimal, .integer(3), "'3'", "'3'", "'3'"),
            (.text, .text("it's"), "'it''s'", "'it''s'", "'it''s'"),
            (.text, .text(#"a\b"#), #"'a\b'"#, #"'a\b'"#, "_utf8mb4 x'615c62'"),
            (.text, .text("a\0"), "CAST(x'6100' AS TEXT)", nil, "_utf8mb4 x'6100'"),
            (.blob, .blob([0, 255]), "x'00ff'", #"'\x00ff'::bytea"#, "x'00ff'"),
            (.blob, .blob([]), "x''", #"'\x'::bytea"#, "x''"),
            (.date, .text("2026-02-30"), nil, nil, nil), (.integer, .text("x"), nil, nil, nil),
            (.real, .real(.infinity), nil, nil, nil), (.text, .null, "NULL", "NULL", "NULL"),
            (
                .instant(fractionDigits: 6), .text("2026-01-01 01:00:00+01"),
                "'2026-01-01 00:00:00'",
                "'2026-01-01 00:00:00+00'", "'2026-01-01 00:00:00'"
            ),
            (.json, .text(#"{"a":1}"#), #"'{"a":1}'"#, #"'{"a":1}'"#, #"'{"a":1}'"#),
        ] as [(ColumnType, Value, String?, String?, String?)])
    func `has a default as each database writes it`(
        type: ColumnType, value: Value, sqlite: String?, postgres: String?, mysql: String?
    ) {
        #expect(TableDialect.sqlite.literal(value, of: type) == sqlite)
        #expect(TableDialect.postgres.literal(value, of: type) == postgres)
        #expect(TableDialect.mysql.literal(value, of: type) == mysql)
    }

    @Test func `has its default in brackets where the database wants an expression`() {
        func column(_ type: ColumnType, _ value: Value, _ dialect: TableDialect) -> String {
            Self.declaration(type, default: .value(value), in: dialect)
        }
        #expect(column(.text, .text("a"), .mysql) == "LONGTEXT DEFAULT ('a')")
        #expect(column(.json, .text("{}"), .mysql) == "JSON DEFAULT ('{}')")
        #expect(column(.text, .text("\0"), .sqlite) == "TEXT DEFAULT (CAST(x'00' AS TEXT))")
        #expect(column(.text, .text("\0"), .postgres) == "text")
        #expect(column(.text, .null, .mysql) == "LONGTEXT")
    }

    @Test(arguments: TableDialect.allCases)
    func `has no default that nobody knows`(dialect: TableDialect) {
        let found = Self.declaration(
            .timestamp(fractionDigits: 6), default: .central, isNullable: false, in: dialect)
        #expect(found.hasSuffix(" NOT NULL"))
    }

    @Test func `of instants says in MySQL what an older server would choose`() {
        func instant(_ value: ColumnDefault, isNullable: Bool) -> String {
            Self.declaration(
                .instant(fractionDigits: 0), default: value, isNullable: isNullable, in: .mysql)
        }
        #expect(instant(.central, isNullable: true) == "TIMESTAMP NULL")
        #expect(
            instant(.central, isNullable: false)
                == "TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP")
        #expect(
            instant(.value(.text("2026-01-01 00:00:00")), isNullable: false)
                == "TIMESTAMP NOT NULL DEFAULT '2026-01-01 00:00:00'")
    }

    @Test func `that an action writes has no check in MySQL`() {
        func table(_ foreign: ForeignKey) -> TableDescription {
            TableDescription(
                name: "t",
                columns: [
                    ColumnDescription(name: "id", type: .integer),
                    ColumnDescription(name: "state", type: .text),
                ], primaryKey: [0], foreignKeys: [foreign])
        }
        func check(
            onDelete: ForeignKey.Action = .noAction, onUpdate: ForeignKey.Action = .noAction,
            in dialect: TableDialect
        ) -> Bool {
            let foreign = ForeignKey(
                columns: [1], referencedTable: "s", referencedColumns: ["id"], onDelete: onDelete,
                onUpdate: onUpdate)
            let child = table(foreign)
            return ColumnDeclaration(
                column: child.columns[1], details: ColumnDetails(labels: ["a", "b"]),
                use: ColumnUse(of: 1, in: child, referred: []), dialect: dialect
            ).check != nil
        }
        #expect(check(onDelete: .cascade, in: .mysql))
        #expect(!check(onDelete: .setNull, in: .mysql))
        #expect(!check(onUpdate: .cascade, in: .mysql))
        #expect(check(onUpdate: .cascade, in: .postgres))
        #expect(check(onUpdate: .cascade, in: .sqlite))
    }
}
