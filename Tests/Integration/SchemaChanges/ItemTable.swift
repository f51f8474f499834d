/// The SQL of the table that changes. It is the same on every database and on devices.
enum ItemTable {
    private static let columns = [
        (name: "id", type: "INTEGER NOT NULL"), (name: "site", type: "INTEGER NOT NULL"),
        (name: "label", type: "VARCHAR(20)"), (name: "code", type: "VARCHAR(20) NOT NULL"),
        (name: "size", type: "VARCHAR(20)"), (name: "tag", type: "VARCHAR(20) NOT NULL"),
        (name: "amount", type: "INTEGER"),
    ]

    static let reference = "CONSTRAINT item_site FOREIGN KEY (site) REFERENCES site (id)"

    /// - Parameters:
    ///   - changed: Other types, by the column's name.
    ///   - added: A further column, with its type.
    ///   - key: The columns of the primary key.
    ///   - constraint: A further constraint.
    static func create(
        _ name: String = "item", changed: [String: String] = [:],
        added: (name: String, type: String)? = nil, key: String = "id", constraint: String? = nil
    ) -> String {
        var parts = columns.map { "\($0.name) \(changed[$0.name] ?? $0.type)" }
        if let added { parts.append("\(added.name) \(added.type)") }
        parts += ["PRIMARY KEY (\(key))"] + [constraint].compactMap { $0 }
        return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))"
    }

    /// Makes a new table with the same rows, by another name.
    ///
    /// - Parameter values: What the new table has in place of a column's value, or in a new column.
    static func copy(
        _ name: String, changed: [String: String] = [:],
        added: (name: String, type: String)? = nil, key: String = "id", constraint: String? = nil,
        values: [String: String] = [:]
    ) -> String {
        let names = columns.map(\.name) + [added?.name].compactMap { $0 }
        let made = create(name, changed: changed, added: added, key: key, constraint: constraint)
        let selected = names.map { values[$0] ?? $0 }.joined(separator: ", ")
        return """
            \(made);
            INSERT INTO \(name) (\(names.joined(separator: ", "))) SELECT \(selected) FROM item;
            """
    }

    /// The steps that SQLite's documentation gives for what `ALTER TABLE` cannot do. They work on
    /// every database.
    static func rebuild(
        changed: [String: String] = [:], added: (name: String, type: String)? = nil,
        key: String = "id", constraint: String? = nil, values: [String: String] = [:]
    ) -> String {
        copy(
            "new_item", changed: changed, added: added, key: key, constraint: constraint,
            values: values)
            + "DROP TABLE item; ALTER TABLE new_item RENAME TO item;"
    }

    /// Rows with the keys 0 to 12. Nobody changes the first one, and each device edits one of the
    /// others.
    static let rows: String = {
        let rows = (0...12).map { "(\($0), 1, 'old', 'old', '1', 't\($0)', 1)" }
        return "INSERT INTO item VALUES \(rows.joined(separator: ", "))"
    }()
}
