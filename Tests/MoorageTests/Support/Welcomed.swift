import GRDB
import MoorageCore
import MoorageWire

@testable import Moorage

extension ReplicaStore {
    /// Adopts a welcome of the hub `hub-1`.
    func welcome(
        _ db: Database, schema: SchemaDescription? = nil, limits: HubLimits = HubLimits(),
        suspended: [SuspendedTable] = [], rights: RightsAnswer? = nil
    ) throws {
        var welcome = Welcome(
            hub: "hub-1", epoch: Epoch("e"), time: 0, schemaVersion: "", schema: schema,
            suspended: suspended, limits: limits)
        welcome.rights = rights
        try adopt(db, welcome)
    }
}
