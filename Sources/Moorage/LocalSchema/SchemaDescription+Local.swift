import MoorageCore

extension SchemaDescription {
    /// A hub's schema in the names that the app uses (decision 0102). A table that the file lacks
    /// has the names by which it is made.
    ///
    /// - Parameter tables: The tables that the app lists.
    func named(in local: LocalSchema, listing tables: [ReplicaTable]) throws -> SchemaDescription {
        let listed = Set(tables.map(\.id))
        var known: [Identifier: Set<Identifier>] = [:]
        func columns(of table: Identifier) throws -> Set<Identifier> {
            if let columns = known[table] { return columns }
            let columns = try Self.columns(of: table, in: local)
            known[table] = columns
            return columns
        }
        return try named(hasTable: { listed.contains(Identifier($0)) }) { column, table in
            try columns(of: Identifier(table)).contains(Identifier(folding: column))
        }
    }

    private static func columns(
        of table: Identifier, in local: LocalSchema
    ) throws -> Set<Identifier> {
        do {
            let columns = try local.table(named: table.text)?.columns ?? []
            return Set(columns.map { Identifier(folding: $0.name) })
        } catch is ReplicaError {
            // It is a view, or has a column that nobody can name. That suspends this table alone,
            // once it is looked at.
            return []
        }
    }
}
