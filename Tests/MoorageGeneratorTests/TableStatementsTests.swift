import MoorageCore
import MoorageWire
import TestSupport
import Testing

@testable import MoorageGenerator

@Suite(.ownThreads) struct `The statements that create tables` {
    private static let town = TableDescription(
        name: "town",
        columns: [
            ColumnDescription(
                name: "id", type: .integer, isNullable: false, defaultValue: .central),
            ColumnDescription(name: "name", type: .text, isNullable: false),
            ColumnDescription(name: "size", type: .text, defaultValue: .value(.text("small"))),
            ColumnDescription(name: "area", type: .decimal),
        ], primaryKey: [0], uniqueKeys: [[1]])

    private static let inn = TableDescription(
        name: "inn",
        columns: [
            ColumnDescription(name: "id", type: .uuid, isNullable: false, defaultValue: .central),
            ColumnDescription(name: "town", type: .integer, isNullable: false),
            ColumnDescription(
                name: "is_open", type: .boolean, isNullable: false,
                defaultValue: .value(.integer(1))),
            ColumnDescription(
                name: "opened", type: .instant(fractionDigits: 3), isNullable: false,
                defaultValue: .central),
            ColumnDescription(name: "notes", type: .text),
            ColumnDescription(name: "total", type: .real, isNullable: false, isGenerated: true),
            ColumnDescription(name: "data", type: .json),
            ColumnDescription(name: "photo", type: .blob),
        ], primaryKey: [0],
        foreignKeys: [
            ForeignKey(
                columns: [1], referencedTable: "town", referencedColumns: ["id"],
                onDelete: .cascade)
        ])

    private static let small = SchemaFile(
        schema: SchemaDescription(tables: [inn, town]),
        details: [
            "town": TableDetails(
                comment: "Where it's quiet", checks: ["area > 0"], indexes: [[3]],
                columns: [
                    1: ColumnDetails(original: "character varying(40)"),
                    2: ColumnDetails(comment: "Roughly", labels: ["small", "large"]),
                    3: ColumnDetails(original: "numeric(10,2)"),
                ])
        ])

    private static let options = """
        ENGINE = InnoDB CHARACTER SET utf8mb4 /*M! COLLATE utf8mb4_nopad_bin */ \
        /*!80017 COLLATE utf8mb4_0900_bin */
        """

    @Test func `of a small schema in SQLite`() {
        let expected = [
            """
            CREATE TABLE "town" (
              "id" INTEGER PRIMARY KEY,
              "name" VARCHAR(40) NOT NULL,
              "size" TEXT DEFAULT 'small',
              "area" DECIMAL(10,2),
              UNIQUE ("name"),
              CHECK ("size" IN ('small', 'large'))
            )
            """,
            #"CREATE INDEX "town_area_idx" ON "town" ("area")"#,
            """
            CREATE TABLE "inn" (
              "id" UUID NOT NULL,
              "town" INTEGER NOT NULL,
              "is_open" BOOLEAN NOT NULL DEFAULT 1,
              "opened" TIMESTAMPTZ NOT NULL,
              "notes" TEXT,
              "total" REAL,
              "data" JSON TEXT,
              "photo" BLOB,
              PRIMARY KEY ("id"),
              FOREIGN KEY ("town") REFERENCES "town" ("id") ON DELETE CASCADE
            )
            """,
            #"CREATE INDEX "inn_town_idx" ON "inn" ("town")"#,
        ]
        #expect(Self.small.createStatements(forTables: ["inn", "town"], in: .sqlite) == expected)
    }

    @Test func `of a small schema in PostgreSQL`() {
        let expected = [
            """
            CREATE TABLE "town" (
              "id" bigint NOT NULL,
              "name" varchar(40) NOT NULL,
              "size" text DEFAULT 'small',
              "area" numeric(10,2),
              PRIMARY KEY ("id"),
              UNIQUE ("name"),
              CHECK ("size" IN ('small', 'large'))
            )
            """,
            #"CREATE INDEX ON "town" ("area")"#,
            #"COMMENT ON TABLE "town" IS 'Where it''s quiet'"#,
            #"COMMENT ON COLUMN "town"."size" IS 'Roughly'"#,
            """
            CREATE TABLE "inn" (
              "id" uuid NOT NULL,
              "town" bigint NOT NULL,
              "is_open" boolean NOT NULL DEFAULT true,
              "opened" timestamptz(3) NOT NULL,
              "notes" text,
              "total" double precision,
              "data" jsonb,
              "photo" bytea,
              PRIMARY KEY ("id"),
              FOREIGN KEY ("town") REFERENCES "town" ("id") ON DELETE CASCADE
            )
            """,
            #"CREATE INDEX ON "inn" ("town")"#,
        ]
        #expect(Self.small.createStatements(forTables: ["inn", "town"], in: .postgres) == expected)
    }

    @Test func `of a small schema in MySQL`() {
        let expected = [
            """
            CREATE TABLE `town` (
              `id` BIGINT NOT NULL,
              `name` VARCHAR(40) NOT NULL,
              `size` VARCHAR(255) DEFAULT 'small' COMMENT 'Roughly',
              `area` DECIMAL(10,2),
              PRIMARY KEY (`id`),
              UNIQUE (`name`),
              KEY (`area`),
              CONSTRAINT `town_size_check` CHECK (`size` IN ('small', 'large'))
            ) \(Self.options) COMMENT = 'Where it''s quiet'
            """,
            """
            CREATE TABLE `inn` (
              `id` /*M!100700 UUID */ /*!80000 CHAR(36) */ NOT NULL,
              `town` BIGINT NOT NULL,
              `is_open` BOOLEAN NOT NULL DEFAULT 1,
              `opened` TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
              `notes` LONGTEXT,
              `total` DOUBLE,
              `data` JSON,
              `photo` LONGBLOB,
              PRIMARY KEY (`id`),
              CONSTRAINT `inn_town_fkey` FOREIGN KEY (`town`) REFERENCES `town` (`id`) \
            ON DELETE CASCADE ON UPDATE NO ACTION
            ) \(Self.options)
            """,
        ]
        #expect(Self.small.createStatements(forTables: ["inn", "town"], in: .mysql) == expected)
    }

    @Test(arguments: TableDialect.allCases)
    func `are those of the named tables, the same each time`(dialect: TableDialect) {
        let all = Self.small.createStatements(forTables: ["town", "inn", "town"], in: dialect)
        #expect(all == Self.small.createStatements(forTables: ["inn", "town"], in: dialect))
        let apart = ["town", "inn"].flatMap {
            Self.small.createStatements(forTables: [$0, "nothing"], in: dialect)
        }
        #expect(all == apart)
        #expect(Self.small.createStatements(forTables: ["Town"], in: dialect) == [])
    }

    // MARK: Foreign keys

    private static func table(
        _ name: String, _ foreignKeys: ForeignKey..., columns: [ColumnDescription] = [],
        uniqueKeys: [[Int]] = []
    ) -> TableDescription {
        TableDescription(
            name: name,
            columns: [
                ColumnDescription(name: "id", type: .integer, isNullable: false),
                ColumnDescription(name: "other", type: .integer),
            ] + columns, primaryKey: [0], uniqueKeys: uniqueKeys, foreignKeys: foreignKeys)
    }

    private static func statements(
        _ tables: [TableDescription], _ details: [Identifier: TableDetails] = [:],
        only names: [String]? = nil, in dialect: TableDialect
    ) -> [String] {
        SchemaFile(schema: SchemaDescription(tables: tables), details: details)
            .createStatements(forTables: names ?? tables.map(\.name), in: dialect)
    }

    private static func reference(
        to table: String, onDelete: ForeignKey.Action = .noAction,
        onUpdate: ForeignKey.Action = .noAction, isDeferrable: Bool = false
    ) -> ForeignKey {
        ForeignKey(
            columns: [1], referencedTable: table, referencedColumns: ["id"], onDelete: onDelete,
            onUpdate: onUpdate, isDeferrable: isDeferrable)
    }

    private static let cycle = [
        table("a", reference(to: "b", isDeferrable: true)),
        table("b", reference(to: "a", onDelete: .restrict)),
    ]

    @Test func `add the first foreign key of a cycle at the end`() {
        let found = Self.statements(Self.cycle, in: .postgres)
        #expect(
            found == [
                """
                CREATE TABLE "a" (
                  "id" bigint NOT NULL,
                  "other" bigint,
                  PRIMARY KEY ("id")
                )
                """,
                #"CREATE INDEX ON "a" ("other")"#,
                """
                CREATE TABLE "b" (
                  "id" bigint NOT NULL,
                  "other" bigint,
                  PRIMARY KEY ("id"),
                  FOREIGN KEY ("other") REFERENCES "a" ("id") ON DELETE RESTRICT
                )
                """,
                #"CREATE INDEX ON "b" ("other")"#,
                """
                ALTER TABLE "a" ADD FOREIGN KEY ("other") REFERENCES "b" ("id") \
                DEFERRABLE INITIALLY DEFERRED
                """,
            ])
        let mysql = Self.statements(Self.cycle, in: .mysql)
        #expect(mysql.count == 3)
        #expect(
            mysql.last == """
                ALTER TABLE `a` ADD CONSTRAINT `a_other_fkey` FOREIGN KEY (`other`) \
                REFERENCES `b` (`id`) ON DELETE NO ACTION ON UPDATE NO ACTION
                """)
    }

    @Test func `of a cycle in SQLite have every foreign key in its table`() {
        #expect(
            Self.statements(Self.cycle, in: .sqlite).first == """
                CREATE TABLE "a" (
                  "id" INTEGER PRIMARY KEY,
                  "other" INTEGER,
                  FOREIGN KEY ("other") REFERENCES "b" ("id") DEFERRABLE INITIALLY DEFERRED
                )
                """)
    }

    @Test(arguments: TableDialect.allCases)
    func `refer at once to the table itself, and to tables that exist`(dialect: TableDialect) {
        let reference = "REFERENCES \(dialect.name("a")) (\(dialect.name("id")))"
        let own = Self.statements([Self.table("a", Self.reference(to: "a"))], in: dialect)
        #expect(own[0].contains(reference) && !own.contains { $0.hasPrefix("ALTER") })
        let one = Self.statements(Self.cycle, only: ["b"], in: dialect)
        #expect(one[0].contains(reference) && !one.contains { $0.hasPrefix("ALTER") })
    }

    @Test func `have in MySQL only the actions that it has`() {
        let column = ColumnDescription(name: "must", type: .integer, isNullable: false)
        let strict = ForeignKey(
            columns: [1, 2], referencedTable: "b", referencedColumns: ["id", "other"],
            onDelete: .setNull, onUpdate: .cascade)
        let found = Self.statements(
            [
                Self.table(
                    "a", Self.reference(to: "b", onDelete: .setNull, onUpdate: .setDefault),
                    strict, columns: [column]),
                Self.table("b", uniqueKeys: [[0, 1]]),
            ], only: ["a"], in: .mysql)
        #expect(found[0].contains("(`id`) ON DELETE SET NULL ON UPDATE NO ACTION,"))
        #expect(found[0].contains("(`id`, `other`) ON DELETE NO ACTION ON UPDATE CASCADE\n"))
    }

    @Test func `make an index for a foreign key that nothing else serves`() {
        let tables = [
            Self.table("a", Self.reference(to: "c"), uniqueKeys: [[1, 0]]),
            Self.table("b", Self.reference(to: "c"), Self.reference(to: "a")),
            Self.table("c"),
        ]
        let indexes = Self.statements(tables, in: .postgres).filter { $0.contains("INDEX") }
        #expect(indexes == [#"CREATE INDEX ON "b" ("other")"#])
        let listed = Self.statements(
            tables, ["b": TableDetails(indexes: [[1, 0]])], in: .postgres
        ).filter { $0.contains("INDEX") }
        #expect(listed == [#"CREATE INDEX ON "b" ("other", "id")"#])
    }

    // MARK: Names and texts

    @Test func `quote names as each database reads them`() {
        let table = TableDescription(
            name: "a\"b`c'", columns: [ColumnDescription(name: "d`\"\\", type: .uuid)],
            primaryKey: [0])
        #expect(
            Self.statements([table], in: .sqlite)[0].contains("\"a\"\"b`c'\" (\n  \"d`\"\"\\\" "))
        #expect(
            Self.statements([table], in: .postgres)[0].contains("\"a\"\"b`c'\" (\n  \"d`\"\"\\\" "))
        #expect(Self.statements([table], in: .mysql)[0].contains("`a\"b``c'` (\n  `d``\"\\` "))
    }

    private static func labelled(
        _ labels: [String], in dialect: TableDialect
    ) -> String? {
        let column = ColumnDescription(name: "c", type: .text)
        return statements(
            [table("a", columns: [column])],
            ["a": TableDetails(columns: [2: ColumnDetails(labels: labels)])], in: dialect
        ).first?.split(separator: "\n").first { $0.contains("CHECK") }.map { String($0) }
    }

    @Test func `quote labels so that no mode of a database reads them in another way`() {
        let labels = ["it's", #"a\b"#, ""]
        #expect(
            Self.labelled(labels, in: .sqlite) == #"  CHECK ("c" IN ('it''s', 'a\b', ''))"#)
        #expect(
            Self.labelled(labels, in: .postgres) == #"  CHECK ("c" IN ('it''s', 'a\b', ''))"#)
        #expect(
            Self.labelled(labels, in: .mysql)
                == "  CONSTRAINT `a_c_check` CHECK (`c` IN ('it''s', _utf8mb4 x'615c62', ''))")
    }

    @Test func `say of one label that it is a label`() {
        #expect(Self.labelled(["x"], in: .sqlite) == #"  CHECK ("c" IN ('x'))"#)
        #expect(Self.labelled(["x"], in: .postgres) == #"  CHECK ("c" = ANY (ARRAY['x']))"#)
    }

    @Test func `have no comment that a mode of MySQL could read otherwise`() {
        let comment = #"it's C:\"# + "\0"
        func found(_ dialect: TableDialect) -> [String] {
            Self.statements([Self.table("a")], ["a": TableDetails(comment: comment)], in: dialect)
        }
        #expect(!found(.mysql)[0].contains("COMMENT"))
        #expect(found(.postgres)[1] == #"COMMENT ON TABLE "a" IS 'it''s C:\'"#)
        #expect(found(.sqlite).count == 1)
        let long = String(repeating: "é", count: 1_500)
        let cut = Self.statements(
            [Self.table("a")],
            ["a": TableDetails(columns: [1: ColumnDetails(comment: long)])], in: .mysql)
        #expect(cut[0].contains("COMMENT '\(String(repeating: "é", count: 1_024))'"))
    }

    @Test func `name constraints of long names shortly, and no two alike`() {
        let name = String(repeating: "é", count: 60)
        let columns = (0..<3).map { ColumnDescription(name: "\(name)\($0)", type: .integer) }
        let references = (2...4).map { column in
            ForeignKey(columns: [column], referencedTable: "b", referencedColumns: ["id"])
        }
        let long = TableDescription(
            name: name, columns: Self.table("a", columns: columns).columns, primaryKey: [0],
            foreignKeys: references + [references[0]])
        let tables = [long, Self.table("b")]
        let constraints = Self.names(after: "CONSTRAINT `", in: Self.statements(tables, in: .mysql))
        #expect(constraints.count == 4)
        let indexes = Self.names(after: "INDEX \"", in: Self.statements(tables, in: .sqlite))
        #expect(indexes.count == 3)
        for names in [constraints, indexes] {
            #expect(Set(names).count == names.count)
            #expect(names.allSatisfy { $0.hasPrefix("éé") && $0.utf8.count <= 63 })
        }
    }

    @Test func `name indexes of like tables differently`() {
        func table(_ name: String, _ column: String) -> TableDescription {
            TableDescription(
                name: name, columns: [ColumnDescription(name: column, type: .integer)],
                primaryKey: [0])
        }
        let indexed = TableDetails(indexes: [[0]])
        let found = Self.statements(
            [table("a_b", "c"), table("a", "B_c"), table("a_b_c_idx_2", "d")],
            ["a_b": indexed, "a": indexed], in: .sqlite)
        #expect(Self.names(after: "INDEX \"", in: found) == ["a_B_c_idx", "a_b_c_idx_3"])
    }

    /// What is between the text and the next quote, for each time the text is there.
    private static func names(after text: String, in statements: [String]) -> [String] {
        let quote = text.last
        return statements.flatMap { statement in
            statement.split(separator: text, omittingEmptySubsequences: false).dropFirst()
                .map { String($0.prefix { $0 != quote }) }
        }
    }
}
