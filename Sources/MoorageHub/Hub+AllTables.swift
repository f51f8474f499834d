import MoorageCore
package import MoorageWire

extension Hub {
    /// The tables of the central database that could be synced, whether or not they are attached,
    /// in the form of ``schema()``. It changes nothing, and nothing needs to be attached.
    ///
    /// Directions, names, keys and hidden columns are those of the configuration. The answer lists
    /// only foreign keys to tables that are in it.
    ///
    /// - Returns: An answer without a hub's id. Its suspended tables are those that cannot be
    ///   synced, with the reason. A table is among them, too, if its only key is the column that an
    ///   attach added.
    /// - Throws: ``HubError`` `configuration` where a configured key cannot be the table's.
    package func schemaOfAllTables() async throws -> SchemaAnswer {
        try await access { try self.schemaOfAllTables(on: $0) }
    }

    private func schemaOfAllTables(on connection: any CentralConnection) throws -> SchemaAnswer {
        try Self.translating {
            try connection.begin(.snapshot)
            defer { connection.rollback() }
            let keys = ChosenKeys(configured: configuration.keys, known: [])
            var found: [TableDescription] = []
            var unsupported: [SuspendedTable] = []
            for table in try connection.readTables() {
                switch try keys.keyed(table).supportOnDevices {
                case .supported(let description): found.append(configured(description))
                case .unsupported(let reason):
                    unsupported.append(SuspendedTable(name: table.name, reason: reason))
                }
            }
            let schema = SchemaDescription(
                tables: found.map { table in
                    table.holding(
                        table.foreignKeys.filter { foreign in
                            found.contains { $0.name.hasSameBytes(as: foreign.referencedTable) }
                        }
                    ).filtered(by: configuration.columns[table.name])
                })
            let details = SchemaDetailsReader(configuration: configuration, logger: logger)
            return SchemaAnswer(
                hub: "", schema: schema, suspended: unsupported,
                details: details.read(schema, on: connection))
        }
    }

    /// The table with what the configuration says of it, before its columns are filtered.
    private func configured(_ table: TableDescription) -> TableDescription {
        table.travelling(
            configuration.directions[table.name] ?? .both,
            ruledBy: configuration.rules(for: table.name)
        ).named(by: configuration)
    }
}
