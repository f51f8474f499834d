import MoorageCore
import MoorageWire

/// A table that a central database lacks, and the statements that create it.
struct NewTable {
    let table: TableDescription
    private let details: TableDetails
    private let dialect: TableDialect
    private let columns: [ColumnDeclaration]
    private let foreignKeys: [ForeignKeyClause]
    /// The constraints that accept the labels of columns alone.
    private let checks: [String]
    private let indexes: [Index]

    /// An index that is no key.
    private struct Index {
        let columns: [Int]
        /// `nil` where the database chooses it.
        let name: String?
    }

    /// - Parameter names: Gets the names that the table needs for its constraints and indexes.
    init(
        _ table: TableDescription, of file: SchemaFile, in dialect: TableDialect,
        names: inout ObjectNames
    ) {
        let details = file.details[Identifier(table.name)] ?? TableDetails()
        let referred = file.schema.tables.flatMap(\.foreignKeys)
            .filter { $0.referencedTable.hasSameBytes(as: table.name) }
            .compactMap { $0.positions(in: table) }
        let declarations = table.columns.enumerated().map { position, column in
            ColumnDeclaration(
                column: column, details: details.columns[position] ?? ColumnDetails(),
                use: ColumnUse(of: position, in: table, referred: referred), dialect: dialect)
        }
        func objectName(_ columns: [Int], _ ending: String) -> String {
            names.unique([table.name] + columns.map { table.columns[$0].name }, ending)
        }
        // MySQL's own names of constraints can be longer than it allows. SQLite has none for
        // indexes.
        var (foreignKeys, checks, indexes): ([ForeignKeyClause], [String], [Index]) = ([], [], [])
        for foreign in table.foreignKeys {
            foreignKeys.append(
                ForeignKeyClause(
                    foreign: foreign, table: table, dialect: dialect,
                    name: dialect == .mysql ? objectName(foreign.columns, "fkey") : nil))
        }
        for (position, declaration) in declarations.enumerated() {
            guard let check = declaration.check else { continue }
            guard dialect == .mysql else {
                checks.append(check)
                continue
            }
            let constraint = dialect.name(objectName([position], "check"))
            checks.append("CONSTRAINT \(constraint) \(check)")
        }
        for columns in Self.indexes(of: table, details, in: dialect) {
            indexes.append(
                Index(
                    columns: columns, name: dialect == .sqlite ? objectName(columns, "idx") : nil))
        }
        self.table = table
        self.details = details
        self.dialect = dialect
        columns = declarations
        self.foreignKeys = foreignKeys
        self.checks = checks
        self.indexes = indexes
    }

    /// The indexes that the file lists, and one for each foreign key that no key and no index
    /// serves. MySQL makes the latter by itself.
    private static func indexes(
        of table: TableDescription, _ details: TableDetails, in dialect: TableDialect
    ) -> [[Int]] {
        var result: [[Int]] = []
        for index in details.indexes where !index.isEmpty && !result.contains(index) {
            let isKnown = index.allSatisfy { table.columns.indices.contains($0) }
            // A server sorts no JSON.
            let isSorted =
                dialect == .sqlite || isKnown && !index.contains { table.columns[$0].type == .json }
            if isKnown, isSorted { result.append(index) }
        }
        guard dialect != .mysql else { return result }
        for foreign in table.foreignKeys {
            let isServed = ([table.primaryKey] + table.uniqueKeys + result).contains {
                Set($0.prefix(foreign.columns.count)) == Set(foreign.columns)
            }
            if !isServed { result.append(foreign.columns) }
        }
        return result
    }

    // MARK: Statements

    /// Creates the table with its indexes and comments.
    ///
    /// - Parameter isLater: Whether a foreign key refers to a table that is created later.
    func creation(without isLater: (ForeignKey) -> Bool) -> [String] {
        var parts = columns.map(\.definition)
        if !columns.contains(where: \.isRowNumber) {
            parts.append("PRIMARY KEY (\(names(table.primaryKey)))")
        }
        parts += table.uniqueKeys.map { "UNIQUE (\(names($0)))" }
        if dialect == .mysql { parts += indexes.map { "KEY (\(indexParts($0)))" } }
        parts += checks
        parts += foreignKeys.filter { !isLater($0.foreign) }.map(\.text)
        let body = parts.map { "  " + $0 }.joined(separator: ",\n")
        let create = "CREATE TABLE \(dialect.name(table.name)) (\n\(body)\n)\(options)"
        return [create] + createIndexes + comments
    }

    /// Adds the foreign keys that ``creation(without:)`` leaves out.
    func addition(of isLater: (ForeignKey) -> Bool) -> [String] {
        foreignKeys.filter { isLater($0.foreign) }
            .map { "ALTER TABLE \(dialect.name(table.name)) ADD \($0.text)" }
    }

    /// The collations that compare texts by bytes, spaces at the end included. Each of the two
    /// servers has its own one, and skips the other's.
    private var options: String {
        guard dialect == .mysql else { return "" }
        let (mariaDB, mySQL) = ("COLLATE utf8mb4_nopad_bin", "COLLATE utf8mb4_0900_bin")
        let comment = details.comment
            .flatMap { dialect.comment($0, maximumCharacters: 2_048) }
            .map { " COMMENT = " + $0 }
        return " ENGINE = InnoDB CHARACTER SET utf8mb4 /*M! \(mariaDB) */ /*!80017 \(mySQL) */"
            + (comment ?? "")
    }

    private var createIndexes: [String] {
        guard dialect != .mysql else { return [] }
        return indexes.map { index in
            let name = index.name.map { dialect.name($0) + " " } ?? ""
            return "CREATE INDEX \(name)ON \(dialect.name(table.name)) (\(indexParts(index)))"
        }
    }

    /// In PostgreSQL alone, a comment is a statement.
    private var comments: [String] {
        guard dialect == .postgres else { return [] }
        func comment(_ text: String?, on what: String) -> String? {
            text.flatMap { dialect.comment($0, maximumCharacters: .max) }
                .map { "COMMENT ON \(what) IS \($0)" }
        }
        let name = dialect.name(table.name)
        let ofColumns = columns.map { declaration in
            let column = dialect.name(declaration.column.name)
            return comment(declaration.details.comment, on: "COLUMN \(name).\(column)")
        }
        return ([comment(details.comment, on: "TABLE \(name)")] + ofColumns).compactMap { $0 }
    }

    private func names(_ columns: [Int]) -> String {
        dialect.names(columns.map { table.columns[$0].name })
    }

    private func indexParts(_ index: Index) -> String {
        let width = table.width(of: index.columns)
        return index.columns.map { columns[$0].indexPart(sharedBy: width) }
            .joined(separator: ", ")
    }
}
