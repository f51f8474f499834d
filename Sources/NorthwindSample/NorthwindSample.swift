package import MoorageCore

/// A trading company in the shape of the Northwind sample database: 13 tables, with rows made from
/// a seed, or read from a folder of CSV files.
///
/// The same seed and size give the same rows on every machine. The values are chosen to be hard for
/// a sync: accents, both Unicode forms of `é`, line breaks, leading zeros, NULL beside empty text,
/// and empty blobs. There are also decimals that end in zero, dates before 1900, composite keys,
/// and a table that refers to itself.
package struct NorthwindSample: Sendable {
    /// The databases that ``schema(for:)`` and ``statements(for:rowsPerStatement:)`` write for.
    package enum Dialect: Hashable, Sendable, CaseIterable {
        case sqlite, postgres
        /// MariaDB and MySQL, in their default modes; text and keys compare as bytes.
        case mysql
    }

    /// One element for each table, parents before children. In a table that refers to itself, rows
    /// come after the rows that they refer to.
    package let tables: [SampleRows]

    /// Makes rows.
    ///
    /// - Parameters:
    ///   - seed: The same seed gives the same rows.
    ///   - size: 1 gives about the counts of the original (3,300 rows); customers, orders and lines
    ///     grow with it. Less than 1 counts as 1.
    package init(seed: UInt64 = 1, size: Int = 1) {
        var generator = SampleGenerator(seed: seed, size: max(1, size))
        tables = generator.tables()
    }

    /// Reads one CSV file for each table from a folder (`region.csv` …).
    ///
    /// - Throws: ``CoreError`` that names the file, and the line where it is malformed.
    package init(csvFolder folder: String) throws {
        tables = try SampleSchema.tables.map { table in
            let rows = try CSVTable(folder: folder, table: table).rows
            return SampleRows(table: table, rows: Self.parentsFirst(rows, table))
        }
    }

    /// Rows of all tables.
    package var rowCount: Int { tables.reduce(0) { $0 + $1.rows.count } }

    /// The rows of one table; empty for a name that no table has.
    package subscript(table: String) -> [[Value]] {
        tables.first { $0.table == table }?.rows ?? []
    }

    /// The statements that make the tables, parents first.
    package static func schema(for dialect: Dialect) -> [String] {
        SampleSchema.tables.map { $0.createStatement(for: dialect) }
    }

    /// The tables' names, parents before children.
    package static var tableNames: [String] { SampleSchema.tables.map(\.name) }

    /// The tables as a hub describes them.
    package static var descriptions: [TableDescription] { SampleSchema.tables.map(\.description) }

    /// INSERT statements with their values written out, in an order that foreign keys allow. They
    /// suit one call of a client that takes plain SQL.
    package func statements(for dialect: Dialect, rowsPerStatement: Int = 200) -> [String] {
        tables.flatMap { $0.statements(for: dialect, rowsPerStatement: rowsPerStatement) }
    }

    /// Orders the rows of a table that refers to itself so that each comes after the one it refers
    /// to; rows that refer in a circle stay where they are.
    static func parentsFirst(_ rows: [[Value]], _ table: SampleTable) -> [[Value]] {
        guard let reference = table.references.first(where: { $0.table == table.name }),
            let column = table.position(of: reference.column),
            let key = table.primaryKey.first.flatMap(table.position(of:))
        else { return rows }
        var placed: Set<Value> = []
        var result: [[Value]] = []
        var waiting = rows
        while !waiting.isEmpty {
            let ready = waiting.filter { $0[column].isNull || placed.contains($0[column]) }
            guard !ready.isEmpty else { return result + waiting }
            waiting.removeAll { $0[column].isNull || placed.contains($0[column]) }
            placed.formUnion(ready.map { $0[key] })
            result += ready
        }
        return result
    }
}
