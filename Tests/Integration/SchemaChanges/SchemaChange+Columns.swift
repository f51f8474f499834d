extension SchemaChange {
    static let ofColumns: [SchemaChange] = [
        SchemaChange(
            name: "column added", before: ["item.label", "item.amount", nil],
            after: ["item.label", "item.amount", "item.mood"],
            alter: { _ in "ALTER TABLE item ADD COLUMN mood VARCHAR(20)" },
            write: "UPDATE item SET amount = 9, mood = 'hub' WHERE id <> 0",
            upgrade: """
                ALTER TABLE item ADD COLUMN mood VARCHAR(20);
                UPDATE item SET mood = 'app'
                """),
        SchemaChange(
            name: "required column added", before: ["item.label", "item.amount", nil],
            after: ["item.label", "item.amount", "item.mood"],
            alter: { kind in
                switch kind {
                case .sqlite:
                    ItemTable.rebuild(
                        added: (name: "mood", type: "VARCHAR(20) NOT NULL"),
                        values: ["mood": "'hub'"])
                case .postgres, .mariadb:
                    """
                    ALTER TABLE item ADD COLUMN mood VARCHAR(20) NOT NULL DEFAULT 'hub';
                    ALTER TABLE item ALTER COLUMN mood DROP DEFAULT
                    """
                }
            },
            upgrade: "ALTER TABLE item ADD COLUMN mood VARCHAR(20) NOT NULL DEFAULT 'app'"),
        SchemaChange(
            name: "column dropped", before: ["item.label", "item.amount"],
            after: [nil, "item.amount"],
            alter: { _ in "ALTER TABLE item DROP COLUMN label" },
            upgrade: "ALTER TABLE item DROP COLUMN label"),
        SchemaChange(
            name: "column renamed", before: ["item.label", "item.amount"],
            after: ["item.title", "item.amount"],
            alter: { _ in "ALTER TABLE item RENAME COLUMN label TO title" },
            upgrade: "ALTER TABLE item RENAME COLUMN label TO title"),
        SchemaChange(
            name: "required column renamed", before: ["item.code", "item.amount"],
            after: ["item.number", "item.amount"], edit: "code = 'mine'",
            alter: { _ in "ALTER TABLE item RENAME COLUMN code TO number" },
            upgrade: "ALTER TABLE item RENAME COLUMN code TO number"),
        SchemaChange(
            name: "column widened", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { retype("label", "VARCHAR(40)", on: $0) ?? "" }),
        SchemaChange(
            name: "column retyped", before: ["item.size", "item.amount"],
            after: ["item.size", "item.amount"], edit: "size = '2'",
            alter: { kind in
                retype("size", "INTEGER", "USING size::integer", on: kind) ?? Self.numericSize
            },
            upgrade: numericSize),
        SchemaChange(
            name: "column made NOT NULL", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"], edit: "label = NULL",
            alter: { kind in
                switch kind {
                case .sqlite: ItemTable.rebuild(changed: ["label": "VARCHAR(20) NOT NULL"])
                case .postgres: "ALTER TABLE item ALTER COLUMN label SET NOT NULL"
                case .mariadb: "ALTER TABLE item MODIFY label VARCHAR(20) NOT NULL"
                }
            },
            upgrade: "UPDATE item SET label = 'none' WHERE label IS NULL"),
        SchemaChange(
            name: "default changed", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { kind in
                switch kind {
                case .sqlite: Self.otherDefault
                case .postgres, .mariadb: "ALTER TABLE item ALTER COLUMN label SET DEFAULT 'new'"
                }
            },
            upgrade: otherDefault),
        SchemaChange(
            name: "enum label added", before: ["item.label", "item.amount", "item.mood"],
            after: ["item.label", "item.amount", "item.mood"],
            prepare: { kind in
                let text = "ALTER TABLE item ADD COLUMN mood VARCHAR(20) DEFAULT 'a'"
                return switch kind {
                case .sqlite: [text]
                case .postgres:
                    [
                        "CREATE TYPE mood AS ENUM ('a', 'b')",
                        "ALTER TABLE item ADD COLUMN mood mood DEFAULT 'a'",
                    ]
                case .mariadb: ["ALTER TABLE item ADD COLUMN mood ENUM('a', 'b') DEFAULT 'a'"]
                }
            },
            prepareDevice: "ALTER TABLE item ADD COLUMN mood VARCHAR(20) DEFAULT 'a'",
            alter: { kind in
                switch kind {
                case .sqlite: ""
                case .postgres: "ALTER TYPE mood ADD VALUE 'c'"
                case .mariadb: "ALTER TABLE item MODIFY mood ENUM('a', 'b', 'c') DEFAULT 'a'"
                }
            },
            write: "UPDATE item SET amount = 9, mood = 'c' WHERE id <> 0"),
        SchemaChange(
            name: "collation changed", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { kind in
                switch kind {
                case .sqlite: Self.otherCollation
                case .postgres:
                    #"ALTER TABLE item ALTER COLUMN label TYPE VARCHAR(20) COLLATE "C""#
                case .mariadb:
                    """
                    ALTER TABLE item MODIFY label
                      VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci
                    """
                }
            },
            upgrade: otherCollation),
    ]

    private static let numericSize = ItemTable.rebuild(
        changed: ["size": "INTEGER"], values: ["size": "CAST(size AS INTEGER)"])

    private static let otherDefault = ItemTable.rebuild(
        changed: ["label": "VARCHAR(20) DEFAULT 'new'"])

    private static let otherCollation = ItemTable.rebuild(
        changed: ["label": "VARCHAR(20) COLLATE NOCASE"])

    /// - Parameter conversion: What PostgreSQL needs to convert the values.
    /// - Returns: `nil` for SQLite, which cannot retype a column of an existing table.
    private static func retype(
        _ column: String, _ type: String, _ conversion: String = "", on kind: CentreKind
    ) -> String? {
        switch kind {
        case .sqlite: nil
        case .postgres: "ALTER TABLE item ALTER COLUMN \(column) TYPE \(type) \(conversion)"
        case .mariadb: "ALTER TABLE item MODIFY \(column) \(type)"
        }
    }
}
