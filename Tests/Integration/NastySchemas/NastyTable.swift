import MoorageCore

struct NastyColumn: Sendable {
    let name: String
    let type: NastyType
    var isNullable = true
    /// What follows the type: a default, a collation.
    var more = ""
}

struct NastyReference: Sendable {
    let columns: [String]
    let table: String
    /// The key of that table.
    let keys: [String]
    var action = "NO ACTION"
    /// The database checks it at the end of a transaction, where it can do that.
    var isDeferrable = false
}

/// A table of a made-up schema with its rows. Row `n` is the same in every run.
struct NastyTable: Sendable {
    let name: String
    var columns: [NastyColumn]
    /// The columns in the order of the key.
    let key: [String]
    var references: [NastyReference] = []
    var unique: [[String]] = []
    var checks: [String] = []
    /// Options after the closing bracket, on SQLite: `WITHOUT ROWID, STRICT`.
    var options = ""

    func column(_ name: String) -> Int {
        columns.firstIndex { $0.name.hasSameBytes(as: name) } ?? -1
    }

    func isKey(_ column: Int) -> Bool {
        key.contains { $0.hasSameBytes(as: columns[column].name) }
    }

    // MARK: Its statements

    /// - Returns: `table` makes the table. `others` adds its foreign keys, for databases that need
    ///   all tables first.
    func statements(_ kind: CentreKind) -> (table: String, others: [String]) {
        var parts = columns.enumerated().map { index, column in
            let isRequired = isKey(index) || !column.isNullable
            // A TIMESTAMP of MariaDB has a default of its own, unless the declaration says NULL.
            let null = column.type == .instant && kind == .mariadb ? " NULL" : ""
            return "\(NastySQL.name(column.name)) \(column.type.declared(kind))"
                + (isRequired ? " NOT NULL" : null) + (column.more.isEmpty ? "" : " \(column.more)")
        }
        parts.append("PRIMARY KEY (\(NastySQL.names(key)))")
        parts += unique.map { "UNIQUE (\(NastySQL.names($0)))" }
        parts += checks.map { "CHECK (\($0))" }
        let foreign = references.map { reference in
            """
            FOREIGN KEY (\(NastySQL.names(reference.columns))) \
            REFERENCES \(NastySQL.name(reference.table)) (\(NastySQL.names(reference.keys))) \
            ON DELETE \(reference.action) ON UPDATE \(reference.action)\
            \(reference.isDeferrable && kind != .mariadb ? " DEFERRABLE INITIALLY DEFERRED" : "")
            """
        }
        if kind == .sqlite { parts += foreign }
        let body = parts.map { "  " + $0 }.joined(separator: ",\n")
        let tail = kind == .sqlite && !options.isEmpty ? " \(options)" : ""
        return (
            "CREATE TABLE \(NastySQL.name(name)) (\n\(body)\n)\(tail)",
            kind == .sqlite
                ? [] : foreign.map { "ALTER TABLE \(NastySQL.name(name)) ADD \($0)" }
        )
    }
}
