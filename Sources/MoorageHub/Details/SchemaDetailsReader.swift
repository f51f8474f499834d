import Logging
import MoorageCore
import MoorageWire

/// Reads what tools want to know of the tables of the schema answer.
struct SchemaDetailsReader {
    let configuration: HubConfiguration
    let logger: Logger

    /// What everyone who signs in may know of the tables.
    ///
    /// A failure of the database only costs what the database says. No replica needs that, so none
    /// must do without its schema because of it.
    func read(
        _ schema: SchemaDescription, on connection: any CentralConnection
    ) -> [Identifier: TableDetails] {
        var central: [Identifier: CentralTableDetails] = [:]
        do {
            let names = schema.tables.map(\.name)
            for table in try names.isEmpty ? [] : connection.details(of: names) {
                central[Identifier(table.name)] = table
            }
        } catch {
            logger.warning(
                "Comments, checks and indexes could not be read; the schema goes out without them.",
                metadata: ["error": "\((error as? CentralError)?.message ?? "\(type(of: error))")"])
        }
        var details: [Identifier: TableDetails] = [:]
        for table in schema.tables {
            let name = Identifier(table.name)
            details[name] = TableDetails(
                of: table, as: central[name],
                settings: configuration.columns[table.name] ?? ColumnSettings())
        }
        return details
    }
}
