import Logging
import MoorageCore
import MoorageWire

/// Hands out keys for rows that a replica inserts while it is away. The replica gets as many as it
/// needs to have two blocks for each table that hands them out. The keys are not what the request
/// asked for: an error is logged, and the next exchange tries again.
struct KeyLeases {
    let request: ExchangeRequest
    let state: HubState
    let configuration: HubConfiguration
    let rights: UserRights

    func issue(on connection: any CentralConnection, _ logger: Logger) -> [KeyBlock] {
        guard let left = request.keys else { return [] }
        let leases = state.attached.runningTables.compactMap { table -> KeyLease? in
            guard let block = configuration.rules(for: table.name).keyBlock,
                table.description.direction.acceptsChanges, rights.mayInsert(table.name),
                let asked = request.tables.first(where: { table.description.isKnown(as: $0.name) })
            else { return nil }
            let known = left.first { $0.table.hasSameBytes(as: asked.name) }?.count ?? 0
            return KeyLease(table, as: asked.name, block: block, left: known)
        }
        // Each in a transaction of its own: a table without free keys does not affect the others.
        return leases.compactMap { lease in
            do {
                return try connection.writing { try lease.issue(on: connection) }
            } catch {
                logger.warning(
                    "Keys could not be handed out; the next exchange tries again.",
                    metadata: [
                        "table": "\(lease.table.name)",
                        "error": "\((error as? CentralError)?.message ?? "\(type(of: error))")",
                    ])
                return nil
            }
        }
    }
}
