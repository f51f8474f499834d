import MoorageCore
import MoorageWire

/// What a page depends on besides its cursor: streams of one view at one cursor get the same pages.
final class LiveView: Sendable {
    /// What tells views apart.
    struct Name: Hashable {
        let epoch: Epoch
        let schemaVersion: String
        /// Tables that stand still.
        let suspended: Set<Identifier>
        /// What is asked for and may be read.
        let tables: [TableColumns]
        let authorized: Set<Scope>
        /// Whose signature its cursors bear; `nil` where they bear none.
        let signedFor: String?
        let limits: PageLimits
    }

    let name: Name
    /// The same tables, in foreign-key order.
    let tables: [RequestedTable]
    let signatures: [Identifier: String]

    init(name: Name, tables: [RequestedTable], signatures: [Identifier: String]) {
        self.name = name
        self.tables = tables
        self.signatures = signatures
    }

    /// Whether the hub is still as it was when the view was made.
    func isCurrent(_ state: HubState) -> Bool {
        name.epoch == state.facts.epoch && name.schemaVersion == state.attached.schema.version
            && name.suspended == Set(state.attached.suspended.keys)
    }

    /// The pull of its pages, by a state in which it is current.
    ///
    /// Its cursors have caught up: they are complete in what is held, and name nothing else.
    func pull(
        on connection: any CentralConnection, _ state: HubState, signer: CursorSigner?
    ) -> Pull {
        Pull(
            connection: connection, epoch: name.epoch, tables: tables, suspended: name.suspended,
            signatures: signatures,
            scopes: ReplicaScopes(authorized: name.authorized, grants: nil, unverified: []),
            signer: signer,
            limits: name.limits)
    }
}
