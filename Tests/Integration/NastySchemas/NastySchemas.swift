/// Schemas of owners who choose their names and database features without thinking of Moorage.
enum NastySchemas {
    static func all(_ kind: CentreKind) -> [NastySchema] {
        [
            names(kind), circles, longKeys(kind), keyTypes, manyColumns, oneColumn, ownersThings,
            busyTriggers, constraints, ours, chain(of: 12),
        ] + only(kind)
    }

    static func names(_ kind: CentreKind) -> NastySchema {
        NastySchema(
            name: "names of every kind",
            tables: NastyNames.tables(kind) + [NastyNames.wide(kind)], isDumpedAttached: true)
    }

    private static func column(
        _ name: String, _ type: NastyType, isNullable: Bool = true, _ more: String = ""
    ) -> NastyColumn {
        NastyColumn(name: name, type: type, isNullable: isNullable, more: more)
    }

    /// Circles of two tables and of three, self-references, one of them along part of the key, and
    /// cascades.
    static let circles = NastySchema(
        name: "circles and self-references",
        tables: [
            NastyTable(
                name: "team",
                columns: [column("id", .integer), column("lead", .uuid), column("name", .text)],
                key: ["id"],
                references: [
                    NastyReference(
                        columns: ["lead"], table: "person", keys: ["id"], isDeferrable: true)
                ]),
            NastyTable(
                name: "person",
                columns: [column("id", .uuid), column("name", .text), column("team", .integer)],
                key: ["id"],
                references: [NastyReference(columns: ["team"], table: "team", keys: ["id"])]),
            NastyTable(
                name: "one", columns: [column("id", .integer), column("next", .integer)],
                key: ["id"],
                references: [
                    NastyReference(
                        columns: ["next"], table: "two", keys: ["id"], action: "SET NULL")
                ]),
            NastyTable(
                name: "two", columns: [column("id", .integer), column("next", .text)], key: ["id"],
                references: [
                    NastyReference(
                        columns: ["next"], table: "three", keys: ["id"], action: "CASCADE")
                ]),
            NastyTable(
                name: "three", columns: [column("id", .text), column("next", .integer)],
                key: ["id"],
                references: [NastyReference(columns: ["next"], table: "one", keys: ["id"])]),
            NastyTable(
                name: "folder",
                columns: [
                    column("title", .text), column("parent", .integer), column("id", .integer),
                ], key: ["id"],
                references: [
                    NastyReference(columns: ["parent"], table: "folder", keys: ["id"])
                ]),
            NastyTable(
                name: "page",
                columns: [
                    column("place", .smallint), column("tenant", .integer),
                    column("parent", .text), column("id", .text),
                ], key: ["tenant", "id"],
                references: [
                    NastyReference(
                        columns: ["tenant", "parent"], table: "page", keys: ["tenant", "id"])
                ]),
        ],
        // Each half of a pair refers to the other, in one transaction.
        atA: [
            "INSERT INTO team (id, name) VALUES (1000, 'pair')",
            """
            INSERT INTO person (id, name, team)
            VALUES ('01890a5d-ac96-774b-bcce-b302099affff', 'pair', 1000)
            """,
            "UPDATE team SET lead = '01890a5d-ac96-774b-bcce-b302099affff' WHERE id = 1000",
        ],
        atB: [
            "UPDATE folder SET parent = id WHERE title LIKE '4%'",
            "INSERT INTO folder (id, parent, title) VALUES (501, NULL, 'top'), (502, 501, 'below')",
            "UPDATE folder SET parent = 502 WHERE id = 501",
        ],
        growing: ["team", "person", "folder"])

    /// Keys of three columns of mixed types. They are not the first columns, and their order is not
    /// the table's.
    ///
    /// A foreign key may name them in yet another order, except on MariaDB, which needs the key's
    /// order.
    static func longKeys(_ kind: CentreKind) -> NastySchema {
        let keys = kind == .mariadb ? ["b", "a", "c"] : ["c", "b", "a"]
        return NastySchema(
            name: "keys of three columns", tables: longTables(keys))
    }

    private static func longTables(_ keys: [String]) -> [NastyTable] {
        [
            NastyTable(
                name: "shelf",
                columns: [
                    column("note", .text), column("c", .date), column("a", .text),
                    column("size", .decimal), column("b", .bigint),
                ], key: ["b", "a", "c"]),
            NastyTable(
                name: "book",
                columns: [
                    column("shelf_c", .date), column("volume", .integer), column("title", .text),
                    column("shelf_a", .text), column("shelf_b", .bigint),
                    column("spare_a", .text), column("spare_b", .bigint), column("spare_c", .date),
                ], key: ["shelf_a", "volume", "shelf_b"],
                references: [
                    NastyReference(
                        columns: keys.map { "shelf_" + $0 }, table: "shelf", keys: keys)
                ]),
            NastyTable(
                name: "loan",
                columns: [
                    column("at", .instant), column("spare_a", .text), column("spare_b", .bigint),
                    column("spare_c", .date), column("id", .uuid),
                ], key: ["id"],
                references: [
                    NastyReference(
                        columns: ["spare_b", "spare_a", "spare_c"], table: "shelf",
                        keys: ["b", "a", "c"])
                ]),
        ]
    }

    /// For each type a table whose key has that type, and one that refers to it.
    static let keyTypes = NastySchema(
        name: "keys of every type",
        tables: NastyType.allCases.filter { $0 != .boolean }.flatMap { type in
            [
                NastyTable(
                    name: "by_\(type)", columns: [column("v", .integer), column("k", type)],
                    key: ["k"]),
                NastyTable(
                    name: "of_\(type)",
                    columns: [
                        column("n", .integer), column("b", .boolean), column("k", type),
                        column("r", type),
                    ], key: ["k", "b"],
                    references: [NastyReference(columns: ["r"], table: "by_\(type)", keys: ["k"])]),
            ]
        },
        before: { NastyType.prelude($0) })

    /// The column names of tracking tables and queues, and names that our statements use for their
    /// parts.
    private static let ours: NastySchema = {
        let names = [
            "k0", "k1", "scope", "live", "version", "live_since", "changed_at", "i", "x", "l", "r",
            "t", "q", "number", "earlier", "beyond", "been", "c0", "p0",
        ]
        let table = NastyTable(
            name: "track", columns: names.map { column($0, $0 == "k0" ? .text : .integer) },
            key: ["k1", "k0", "scope"])
        return NastySchema(name: "columns that are called as ours", tables: [table])
    }()

    /// Each table refers to the one before it. Only this schema's rows come in one page.
    static func chain(of count: Int) -> NastySchema {
        let tables = (0..<count).map { n in
            NastyTable(
                name: "t\(n)",
                columns: [
                    column("id", .integer), column("v", .text), column("above", .integer),
                ], key: ["id"],
                references: n == 0
                    ? [] : [NastyReference(columns: ["above"], table: "t\(n - 1)", keys: ["id"])])
        }
        return NastySchema(
            name: "\(count) tables that refer to each other", tables: tables, pageRows: nil)
    }

    static let manyColumns = NastySchema(
        name: "a table of 200 columns",
        tables: [
            NastyTable(
                name: "form",
                columns: (1...200).map { n in
                    let types: [NastyType] = [
                        .integer, .boolean, .real, .decimal, .date, .instant, .blob, .time,
                        .smallint,
                        .timestamp,
                    ]
                    return column("column \(n)", n == 137 ? .uuid : types[n % types.count])
                }, key: ["column 137"])
        ])

    /// Tables that have only a key.
    static let oneColumn = NastySchema(
        name: "tables of keys alone",
        tables: [
            NastyTable(name: "tag", columns: [column("name", .text)], key: ["name"]),
            NastyTable(
                name: "pair", columns: [column("right", .text), column("left", .integer)],
                key: ["left", "right"],
                references: [NastyReference(columns: ["right"], table: "tag", keys: ["name"])]),
        ])

    static let constraints = NastySchema(
        name: "checks, unique indexes and defaults",
        tables: [
            NastyTable(
                name: "part",
                columns: [
                    column("id", .integer), column("code", .text, isNullable: false),
                    column("name", .text, "DEFAULT 'it''s \"new\"'"),
                    column("amount", .decimal, isNullable: false, "DEFAULT 0"),
                    column("weight", .real, "DEFAULT -1.5"),
                    column("made", .date, "DEFAULT '1999-12-31'"),
                    column("kind", .smallint), column("maker", .text),
                    column("is_old", .boolean, isNullable: false, "DEFAULT TRUE"),
                ], key: ["id"],
                unique: [["code"], ["kind", "maker"], ["maker", "name"]],
                checks: [
                    "amount >= 0", "made > '1800-01-01'", "code <> 'none' OR kind IS NULL",
                    "\"name\" NOT LIKE '%;--%'",
                ])
        ],
        after: { kind in
            switch kind {
            case .sqlite:
                [
                    "CREATE UNIQUE INDEX part_low ON part (lower(code), id)",
                    "CREATE UNIQUE INDEX part_some ON part (weight) WHERE amount > 1000",
                    "CREATE UNIQUE INDEX \"part of \"\"it\"\"\" ON part (name COLLATE NOCASE, id)",
                    "CREATE INDEX part_made ON part (made DESC)",
                ]
            case .postgres:
                [
                    "CREATE UNIQUE INDEX part_low ON part (lower(code), id)",
                    "CREATE UNIQUE INDEX part_some ON part (weight) WHERE amount > 1000",
                    "CREATE UNIQUE INDEX \"part of \"\"it\"\"\" ON part (name DESC, id) INCLUDE (made)",
                    "CREATE INDEX part_made ON part USING brin (made)",
                    "ALTER TABLE part ADD CONSTRAINT apart EXCLUDE USING btree (code WITH =)",
                    "CREATE STATISTICS part_facts ON kind, maker FROM part",
                    "ALTER TABLE part ALTER COLUMN name SET STORAGE EXTERNAL, SET (fillfactor = 70)",
                    "ALTER TABLE part REPLICA IDENTITY FULL",
                    "COMMENT ON COLUMN part.code IS 'it''s a \"code\"'",
                    "GRANT SELECT, UPDATE (name) ON part TO PUBLIC",
                    "CREATE POLICY everyone ON part USING (true)",
                ]
            case .mariadb:
                [
                    "CREATE UNIQUE INDEX \"part of \"\"it\"\"\" ON part (name(10), id)",
                    "CREATE INDEX part_made ON part (made DESC)",
                    "ALTER TABLE part MODIFY code VARCHAR(120) NOT NULL COMMENT 'it''s a \"code\"'",
                    "ALTER TABLE part COMMENT 'parts; of \"all\" kinds', ROW_FORMAT = DYNAMIC",
                ]
            }
        },
        // Every column that may be NULL is NULL.
        atA: [
            "INSERT INTO part (id, code, name, weight, made) VALUES (900, 'null', NULL, NULL, NULL)"
        ],
        atB: ["INSERT INTO part (id, code) VALUES (901, 'by default')"],
        atCentre: ["INSERT INTO part (id, code) VALUES (902, 'by its own default')"],
        growing: ["part"])
}
