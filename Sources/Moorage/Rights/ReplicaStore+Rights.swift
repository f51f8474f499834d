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
        return WriteRights(
            loaded.schema?.table(named: name),
            loaded.rights?.rights(on: name))
    }

    /// Adopts the rights that a hub says with its welcome.
    func adopt(_ rights: RightsAnswer, _ transaction: StoreTransaction) throws {
        try transaction.meta.set(rights)
        try transaction.meta.bump()
        try transaction.notify(Metadata.valueTable)
    }
}

extension RightsAnswer {
    /// What the user may do in a table; `nil` for all that the schema allows.
    func rights(on table: String) -> TableRightsAnswer? {
        tables.first { $0.table.hasSameBytes(as: table) }
    }
}
