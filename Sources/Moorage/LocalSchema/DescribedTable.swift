package import GRDB
package import MoorageCore
import SQLiteSupport

/// A table of the app's file, described as a hub describes its tables: for a server that has no
/// schema to send.
package struct DescribedTable: Sendable {
    package let description: TableDescription
    private let forms: [ColumnForm]

    /// Describes a table without the columns that SQLite computes.
    ///
    /// - Parameters:
    ///   - name: The table's name. The description has the same.
    ///   - tables: The tables that are synced. Foreign keys to others are left out.
    ///   - direction: Which way its rows travel.
    /// - Returns: `nil` if the file has no such table, or the table has no primary key.
    /// - Throws: ``ReplicaError`` for a view, or a column that nobody can name.
    package init?(
        named name: String, of tables: [String], direction: TableDirection, in db: Database
    ) throws {
        let schema = LocalSchema(db: db)
        guard let local = try schema.table(named: name) else { return nil }
        let columns = local.columns.filter { !$0.isGenerated }
        func position(_ name: String) -> Int? {
            columns.firstIndex { SQLText.isSameName($0.name, name) }
        }
        func positions(_ names: [String]) -> [Int]? {
            let found = names.compactMap(position)
            return found.count == names.count && !found.isEmpty ? found : nil
        }
        guard let key = positions(local.keyNames) else { return nil }
        let unique = local.uniqueIndexes.filter(\.isPlain).compactMap {
            positions($0.columns.map(\.name))
        }
        let foreign = local.foreignKeys.compactMap { foreign -> MoorageCore.ForeignKey? in
            guard let columns = positions(foreign.columns),
                foreign.referencedColumns.count == columns.count,
                let parent = tables.first(where: {
                    SQLText.isSameName($0, foreign.referencedTable)
                })
            else { return nil }
            return MoorageCore.ForeignKey(
                columns: columns, referencedTable: parent,
                referencedColumns: foreign.referencedColumns, onDelete: foreign.action)
        }
        description = TableDescription(
            name: name,
            columns: try columns.map {
                ColumnDescription(
                    name: $0.name, type: $0.portableType, isNullable: !$0.isNotNull,
                    defaultValue: try $0.portableDefault(db))
            },
            primaryKey: key, uniqueKeys: unique, foreignKeys: foreign, direction: direction,
            granularity: .row)
        forms = zip(columns, description.columns).map { column, description in
            ColumnForm(type: description.type, column: column, isStrict: local.isStrict)
        }
    }

    /// A value of the file in the form in which it travels.
    package func portable(_ value: Value, column: Int) -> Value { forms[column].portable(value) }

    /// A value as the file stores it; the same value if the column cannot store it.
    package func local(_ value: Value, column: Int) -> Value {
        forms[column].local(value) ?? value
    }
}

extension LocalColumn {
    /// What the values mean, as far as the declared type says it. A column whose declared type says
    /// nothing keeps every value as it is.
    fileprivate var portableType: ColumnType {
        let type = declaredType.uppercased()
        switch affinity {
        case .integer: return .integer
        case .text: return .text
        case .real: return .real
        case .blob: return .blob
        case .numeric:
            if type.contains("BOOL") { return .boolean }
            if type.contains("DATE") || type.contains("TIME") {
                return .timestamp(fractionDigits: 6)
            }
            return type.contains("NUM") || type.contains("DEC") ? .decimal : .blob
        }
    }

    /// Only a literal has a value that never changes.
    fileprivate func portableDefault(_ db: Database) throws -> ColumnDefault {
        guard let sql = defaultSQL, sql.uppercased() != "NULL" else { return .none }
        guard let first = sql.unicodeScalars.first, "0123456789.-+'".unicodeScalars.contains(first)
        else { return .central }
        let value = try Value.fetchOne(db, sql: "SELECT \(sql)")
        return value.map { .value($0) } ?? .central
    }
}

extension LocalForeignKey {
    fileprivate var action: MoorageCore.ForeignKey.Action {
        switch onDelete.uppercased() {
        case "CASCADE": .cascade
        case "SET NULL": .setNull
        case "SET DEFAULT": .setDefault
        case "RESTRICT": .restrict
        default: .noAction
        }
    }
}
