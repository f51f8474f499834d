import MoorageCore

/// The SQL with which a clone creates a table.
struct CloneSQL {
    let table: TableDescription
    /// Tables that the clone creates. Foreign keys to others are left out.
    let tables: Set<Identifier>

    var createTable: String {
        let key = table.primaryKey
        let isRowID = key.count == 1 && table.columns[key[0]].type == .integer
        var parts = table.columns.enumerated().map { position, column in
            var text = "\(SQLText.name(column.name)) \(Self.declared(column.type))"
            if isRowID, position == key[0] {
                text += " PRIMARY KEY"
                // SQLite chooses its keys in the blocks that the hub hands out.
                if table.keyBlock != nil { text += " AUTOINCREMENT" }
            }
            let isKey = table.isKey(position)
            // The hub computes a generated value, so an insert here does not have it yet.
            if (isKey && !isRowID) || (!column.isNullable && !isKey && !column.isGenerated) {
                text += " NOT NULL"
            }
            if case .value(let value) = column.defaultValue, !column.isGenerated {
                text += " DEFAULT \(Self.literal(value))"
            }
            return text
        }
        if !isRowID {
            parts.append("PRIMARY KEY (\(SQLText.names(key.map { table.columns[$0].name })))")
        }
        for foreign in table.foreignKeys
        where tables.contains(Identifier(foreign.referencedTable)) {
            parts.append(Self.declared(foreign, of: table))
        }
        let body = parts.map { "  " + $0 }.joined(separator: ",\n")
        return "CREATE TABLE \(SQLText.name(table.name)) (\n\(body)\n)"
    }

    /// Unique keys, and the referring columns of foreign keys.
    var createIndexes: [String] {
        let unique = table.uniqueKeys.map { (columns: $0, word: "UNIQUE INDEX", kind: "unique") }
        let foreign = table.foreignKeys.map { (columns: $0.columns, word: "INDEX", kind: "refers") }
        return (unique + foreign).enumerated().map { number, index in
            let names = index.columns.map { table.columns[$0].name }
            let name = SQLText.name("\(table.name)_\(index.kind)_\(number + 1)")
            return """
                CREATE \(index.word) IF NOT EXISTS \(name) \
                ON \(SQLText.name(table.name))(\(SQLText.names(names)))
                """
        }
    }

    private static func declared(_ foreign: ForeignKey, of table: TableDescription) -> String {
        func action(_ action: ForeignKey.Action) -> String {
            switch action {
            case .noAction: "NO ACTION"
            case .restrict: "RESTRICT"
            case .cascade: "CASCADE"
            case .setNull: "SET NULL"
            case .setDefault: "SET DEFAULT"
            }
        }
        let columns = SQLText.names(foreign.columns.map { table.columns[$0].name })
        return """
            FOREIGN KEY (\(columns)) REFERENCES \(SQLText.name(foreign.referencedTable))\
            (\(SQLText.names(foreign.referencedColumns))) \
            ON DELETE \(action(foreign.onDelete)) ON UPDATE \(action(foreign.onUpdate))\
            \(foreign.isDeferrable ? " DEFERRABLE INITIALLY DEFERRED" : "")
            """
    }

    /// Types that keep every value as it came; decimals as text, so that no digit is lost.
    private static func declared(_ type: ColumnType) -> String {
        switch type {
        case .integer: "INTEGER"
        case .boolean: "BOOLEAN"
        case .real: "REAL"
        case .blob: "BLOB"
        case .decimal, .text, .uuid, .date, .time, .timestamp, .instant, .json: "TEXT"
        }
    }

    private static func literal(_ value: Value) -> String {
        switch value {
        case .null: "NULL"
        case .integer(let number): String(number)
        case .real(let number): number.isFinite ? number.description : "NULL"
        case .text(let text) where text.utf8.contains(0):
            "(CAST(x'\(hex(Array(text.utf8)))' AS TEXT))"
        case .text(let text): SQLText.literal(text)
        case .blob(let bytes): "x'\(hex(bytes))'"
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }
}
