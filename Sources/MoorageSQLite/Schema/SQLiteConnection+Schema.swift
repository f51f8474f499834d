import GRDBSQLite
import MoorageCore
import MoorageHub
import SQLiteSupport

extension SQLiteConnection {
    func readTables() throws -> [CentralTable] {
        let rows = try query(
            """
            SELECT name, type FROM pragma_table_list
            WHERE schema = 'main' AND type IN ('table', 'virtual', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND name NOT LIKE 'moorage\\_%' ESCAPE '\\' AND name NOT LIKE '\\_moorage\\_%' ESCAPE '\\'
            ORDER BY name
            """)
        let tables: [CentralTable] = try rows.compactMap { row in
            guard case .text(let name) = row[0], case .text(let type) = row[1] else { return nil }
            if type == "view" { return CentralTable(name: name, problem: TableProblem.view(name)) }
            if type == "virtual" {
                return CentralTable(name: name, problem: TableProblem.virtualTable(name))
            }
            return try readTable(name)
        }
        // Tables with unreadable names come last, because a repaired name may look like another
        // table's.
        return tables
            + rows.compactMap { row in
                guard case .blob(let bytes) = row[0] else { return nil }
                let name = String(decoding: bytes, as: UTF8.self)
                return CentralTable(name: name, problem: TableProblem.unreadableName(name))
            }
    }

    /// SQLite cannot give a key, a type or a collation to an existing table.
    static func remake(
        _ table: String, _ how: String = "with a PRIMARY KEY, and types that say what values mean"
    ) -> [String] {
        let (name, new) = (table.quoted, (table + "_new").quoted)
        return [
            "-- CREATE TABLE \(new) (…)  -- the same \(how)",
            "-- INSERT INTO \(new) SELECT … FROM \(name)",
            "-- DROP TABLE \(name)",
            "-- ALTER TABLE \(new) RENAME TO \(name)  -- then make its indexes and triggers again",
        ]
    }

    func readTable(_ table: String) throws -> CentralTable {
        let columns = try LocalColumn.read(table, on: self)
        let key = columns.filter { $0.keyPosition > 0 }.sorted { $0.keyPosition < $1.keyPosition }
        func refused(_ problem: TableProblem) -> CentralTable {
            CentralTable(
                name: table, problem: TableProblem(problem.reason, repair: Self.remake(table)))
        }
        guard columns.allSatisfy(\.isNameReadable) else {
            return refused(TableProblem.unreadableColumn(of: table))
        }
        var descriptions: [ColumnDescription] = []
        for column in columns {
            guard let type = ColumnType(sqlite: column.declaredType) else {
                return refused(
                    TableProblem.unclearType(column.declaredType, of: column.name, in: table))
            }
            descriptions.append(
                ColumnDescription(
                    name: column.name, type: type,
                    isNullable: !column.isNotNull && column.keyPosition == 0,
                    defaultValue: column.defaultValue, isGenerated: column.isGenerated))
        }
        let positions = { (names: [String]) -> [Int]? in
            let found = names.compactMap { name in
                columns.firstIndex { SQLText.isSameName($0.name, name) }
            }
            return found.count == names.count ? found : nil
        }
        let description = TableDescription(
            name: table, columns: descriptions,
            primaryKey: key.compactMap { column in
                columns.firstIndex { $0.name.hasSameBytes(as: column.name) }
            },
            uniqueKeys: try uniqueKeys(of: table).compactMap(positions),
            foreignKeys: try foreignKeys(of: table, positions))
        return try key.isEmpty
            ? keyless(description, columns)
            : CentralTable(name: table, support: .supported(description))
    }

    /// A table whose only problem is that it has no primary key.
    private func keyless(
        _ description: TableDescription, _ columns: [LocalColumn]
    ) throws -> CentralTable {
        let name = description.name
        let isFilled = try fillsAddedKey(of: name)
        let substitutes = description.uniqueKeys.filter { key in
            key.allSatisfy { column in
                // SQLite adds no column that is NOT NULL. A trigger takes its place.
                let isAdded =
                    isFilled && columns[column].name.hasSameBytes(as: KeylessTable.addedKey)
                return !columns[column].isGenerated && (columns[column].isNotNull || isAdded)
            }
        }
        let keyless = KeylessTable(
            description: description,
            substitutes: substitutes.map { KeylessTable.Substitute(columns: $0) },
            addedKeyType: AddedKey.rowNumber(columns) == nil ? nil : .text)
        return CentralTable(
            name: name,
            problem: TableProblem.noPrimaryKey(
                of: name, keyless, remedy: "Make it again with one", repair: Self.remake(name)),
            keyless: keyless)
    }

    /// Unique indexes over whole columns, other than the primary key, that cover every row.
    private func uniqueKeys(of table: String) throws -> [[String]] {
        // Reads with one query, because the name of an index may not be UTF-8. Only SQLite itself
        // can then use the name.
        let rows = try query(
            """
            SELECT i.seq, c.name
            FROM pragma_index_list(?) AS i, pragma_index_xinfo(i.name) AS c
            WHERE i."unique" = 1 AND i.origin <> 'pk' AND i.partial = 0 AND c.key = 1
            ORDER BY i.name, c.seqno
            """, [.text(table)])
        var groups: [(index: Value, columns: [Value])] = []
        for row in rows {
            if groups.last?.index != row[0] { groups.append((row[0], [])) }
            groups[groups.count - 1].columns.append(row[1])
        }
        return groups.compactMap { group in
            let names = group.columns.compactMap(\.plainText)
            return names.count == group.columns.count ? names : nil
        }
    }

    private func foreignKeys(
        of table: String, _ positions: ([String]) -> [Int]?
    ) throws -> [ForeignKey] {
        let rows = try query(
            """
            SELECT id, "table", "from", "to", on_delete, on_update
            FROM pragma_foreign_key_list(?) ORDER BY id, seq
            """, [.text(table)])
        var groups: [[[Value]]] = []
        for row in rows {
            if groups.last?.last?[0] == row[0] {
                groups[groups.count - 1].append(row)
            } else {
                groups.append([row])
            }
        }
        return try groups.compactMap { group in
            guard let first = group.first, case .text(let written) = first[1],
                let parent = try tableName(written),
                let columns = positions(group.compactMap(\.[2].plainText))
            else { return nil }
            var referenced = group.compactMap(\.[3].plainText)
            let parentColumns = try LocalColumn.read(parent, on: self)
            if referenced.isEmpty {
                referenced = parentColumns.filter { $0.keyPosition > 0 }
                    .sorted { $0.keyPosition < $1.keyPosition }.map(\.name)
            }
            let exact = referenced.compactMap { name in
                parentColumns.first { SQLText.isSameName($0.name, name) }?.name
            }
            guard exact.count == columns.count else { return nil }
            // A device compares keys by bytes. Only the central database checks a reference by
            // another collation.
            let own = group.compactMap(\.[2].plainText)
            guard try own.allSatisfy({ try isComparedByBytes($0, of: table) }),
                try exact.allSatisfy({ try isComparedByBytes($0, of: parent) })
            else { return nil }
            return ForeignKey(
                columns: columns, referencedTable: parent, referencedColumns: exact,
                onDelete: .init(sqlite: first[4]), onUpdate: .init(sqlite: first[5]))
        }
    }

    private func isComparedByBytes(_ column: String, of table: String) throws -> Bool {
        var collation: UnsafePointer<CChar>?
        guard
            sqlite3_table_column_metadata(
                handle, "main", table, column, nil, &collation, nil, nil, nil) == SQLITE_OK
        else { throw CentralError(sqlite: handle) }
        return collation.map { String(cString: $0).uppercased() } ?? "BINARY" == "BINARY"
    }

    /// A table's name as it was declared, because SQLite accepts it in any case.
    private func tableName(_ name: String) throws -> String? {
        try query(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE",
            [.text(name)]
        ).first?.first?.plainText
    }
}

extension ForeignKey.Action {
    fileprivate init(sqlite value: Value) {
        switch value.plainText {
        case "CASCADE": self = .cascade
        case "SET NULL": self = .setNull
        case "SET DEFAULT": self = .setDefault
        case "RESTRICT": self = .restrict
        default: self = .noAction
        }
    }
}

extension Value {
    /// The text, if it is one.
    var plainText: String? {
        if case .text(let text) = self { text } else { nil }
    }
}
