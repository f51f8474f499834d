package import GRDB
package import MoorageCore

/// Compares an app's file with the tables of a hub, without a replica and without a hub.
///
/// It makes the checks of a replica's first contact ahead of time, for example in the tests of an
/// app's migrations.
package enum LocalSchemaCheck {
    /// What a comparison found.
    package struct Comparison: Hashable, Sendable {
        /// How many of the tables the file has.
        package let tableCount: Int
        /// What prevents the file from syncing, one sentence or a few for each difference.
        package let differences: [String]
    }

    /// Compares the file with these tables.
    ///
    /// Tables that the file lacks do not count. Each other table has its first problem in the
    /// result, and every column of the schema that it lacks.
    ///
    /// - Throws: What SQLite says of a file that it cannot read.
    package static func compare(
        _ db: Database, with schema: SchemaDescription
    ) throws -> Comparison {
        let local = LocalSchema(db: db)
        let hub = try named(schema, in: local)
        var differences: [String] = []
        var count = 0
        var tracked: [TrackedTable] = []
        var listed: [String] = []
        for table in hub.tables {
            do {
                guard let found = try local.table(named: table.name) else { continue }
                tracked.append(try trackable(found, as: table))
                listed.append(table.name)
                count += 1
            } catch let error as ReplicaError {
                count += 1
                differences.append(error.message)
            }
        }
        let names = try local.tableNames()
        for table in tracked {
            guard let description = hub.table(named: table.name.text) else { continue }
            let missing = missingColumns(of: description, in: table.local)
            differences += missing.map { "\(table.local.name) has no column \($0)." }
            do {
                _ = try TableChecks(
                    table: table, hub: hub, tracked: tracked, listed: listed, locals: names
                ).check()
            } catch let error as ReplicaError where error.code != .missingColumn || missing.isEmpty
            {
                differences.append(error.message)
            } catch is ReplicaError {
                // The column is among the missing ones.
            }
        }
        return Comparison(tableCount: count, differences: differences)
    }

    /// The schema in the names that the file uses.
    private static func named(
        _ schema: SchemaDescription, in local: LocalSchema
    ) throws -> SchemaDescription {
        var columns: [Identifier: Set<Identifier>] = [:]
        for name in schema.tables.flatMap(\.names) {
            do {
                guard let table = try local.table(named: name) else { continue }
                columns[Identifier(folding: name)] = Set(
                    table.columns.map { Identifier(folding: $0.name) })
            } catch is ReplicaError {
                // It is there, and the comparison says what is wrong with it.
                columns[Identifier(folding: name)] = []
            }
        }
        return try schema.named(hasTable: { columns[Identifier(folding: $0)] != nil }) {
            columns[Identifier(folding: $1)]?.contains(Identifier(folding: $0)) == true
        }
    }

    /// The table as a replica would keep a log of it.
    private static func trackable(
        _ local: LocalTable, as table: TableDescription
    ) throws -> TrackedTable {
        guard !local.primaryKey.isEmpty else { throw ReplicaError.noPrimaryKey(local.name) }
        return TrackedTable(
            name: Identifier(table.name), local: local, keyNames: local.keyNames,
            logNames: local.plainNames)
    }

    private static func missingColumns(
        of table: TableDescription, in local: LocalTable
    ) -> [String] {
        table.columns.map(\.name).filter { local.column(named: $0) == nil }
    }
}
