import Moorage

extension SchemaChange {
    private static let photo = """
        CREATE TABLE photo (id INTEGER NOT NULL PRIMARY KEY, label VARCHAR(20))
        """

    private static let photos: String = {
        let rows = (0...12).map { "(\($0), 'hub')" }.joined(separator: ", ")
        return "INSERT INTO photo VALUES \(rows)"
    }()

    static let ofTables: [SchemaChange] = [
        SchemaChange(
            name: "table added", before: ["item.label", "item.amount", nil],
            after: ["item.label", "item.amount", "photo.label"],
            alter: { _ in "\(Self.photo); \(Self.photos)" },
            upgrade: photo, newTables: tables + [.table("photo")]),
        SchemaChange(
            name: "table dropped", before: ["item.label", "item.amount"], after: [nil, nil],
            alter: { _ in "DROP TABLE item" }, write: "",
            upgrade: "DROP TABLE item", newTables: [.table("site"), .table("calm")]),
        SchemaChange(
            name: "table renamed", before: ["item.label", "item.amount"],
            after: ["thing.label", "thing.amount"],
            alter: { _ in "ALTER TABLE item RENAME TO thing" },
            write: "UPDATE thing SET amount = 9 WHERE id <> 0",
            upgrade: "ALTER TABLE item RENAME TO thing",
            newTables: [
                .table("site"), .table("thing", firstContact: .replace), .table("calm"),
            ]),
        SchemaChange(
            name: "table rebuilt", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { _ in ItemTable.rebuild() }, upgrade: ItemTable.rebuild()),
        SchemaChange(
            name: "table swapped", before: ["item.label", "item.amount"],
            after: ["item.label", "item.amount"],
            alter: { kind in
                let copy = ItemTable.copy("other")
                return switch kind {
                case .sqlite, .postgres:
                    """
                    \(copy)
                    ALTER TABLE item RENAME TO item_old; ALTER TABLE other RENAME TO item
                    """
                case .mariadb: "\(copy) RENAME TABLE item TO item_old, other TO item"
                }
            }),
    ]
}
