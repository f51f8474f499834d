import GRDB
import MoorageCore
import MoorageWire

/// What the user may write, as the file remembers it.
extension ReplicaStore {
    func rights(_ db: Database, on name: String) throws -> WriteRights {
        guard tables.contains(where: { $0.id == name }) else {
            throw ReplicaError.tableNotListed(name)
        }
        let loaded = try load(db)
        let table = loaded.schema?.table(named: name)
        return WriteRights(table, table.flatMap { loaded.rights?.rights(on: $0) })
    }

    /// Adopts the rights that a hub says with its welcome.
    func adopt(_ rights: RightsAnswer, _ transaction: StoreTransaction) throws {
        try transaction.meta.set(rights)
        try transaction.meta.bump()
        try StoreSchema(db: transaction.db, configured: tables)
            .keepRightTriggers(of: transaction.tables.tracked)
        try transaction.notify(Metadata.valueTable)
    }
}

extension RightsAnswer {
    /// What the user may do in a table; `nil` for all that the schema allows. The answer has the
    /// names of the central database.
    func rights(on table: TableDescription) -> TableRightsAnswer? {
        tables.first { table.isKnown(as: $0.table) }
    }
}
