extension SchemaChange {
    private static let unique = "CREATE UNIQUE INDEX item_tag ON item (tag)"

    static let ofConstraints: [SchemaChange] = [
        SchemaChange(
            name: "primary key changed", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { kind in
                switch kind {
                case .sqlite: ItemTable.rebuild(key: "id, site")
                case .postgres:
                    """
                    ALTER TABLE item DROP CONSTRAINT item_pkey, ADD PRIMARY KEY (id, site)
                    """
                case .mariadb: "ALTER TABLE item DROP PRIMARY KEY, ADD PRIMARY KEY (id, site)"
                }
            },
            upgrade: ItemTable.rebuild(key: "id, site")),
        SchemaChange(
            name: "unique key added", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { _ in Self.unique }, upgrade: unique),
        SchemaChange(
            name: "unique key dropped", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            prepare: { _ in [Self.unique] }, prepareDevice: unique,
            alter: { kind in
                switch kind {
                case .sqlite, .postgres: "DROP INDEX item_tag"
                case .mariadb: "DROP INDEX item_tag ON item"
                }
            },
            upgrade: "DROP INDEX item_tag"),
        SchemaChange(
            name: "foreign key added", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { kind in
                switch kind {
                case .sqlite: ItemTable.rebuild(constraint: ItemTable.reference)
                case .postgres, .mariadb: "ALTER TABLE item ADD \(ItemTable.reference)"
                }
            },
            upgrade: ItemTable.rebuild(constraint: ItemTable.reference)),
        SchemaChange(
            name: "foreign key dropped", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            item: ItemTable.create(constraint: ItemTable.reference),
            alter: { kind in
                switch kind {
                case .sqlite: ItemTable.rebuild()
                case .postgres: "ALTER TABLE item DROP CONSTRAINT item_site"
                case .mariadb: "ALTER TABLE item DROP FOREIGN KEY item_site"
                }
            },
            upgrade: ItemTable.rebuild()),
    ]
}
