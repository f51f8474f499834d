import MoorageCore
import MoorageWire

/// What a page depends on, except for its cursor. Streams with one view and one cursor get the same
/// pages.
final class LiveView: Sendable {
    /// What distinguishes views.
    struct Name: Hashable {
        let epoch: Epoch
        let schemaVersion: String
        /// All names of suspended tables.
        let suspended: Set<Identifier>
        /// What the replica asks for and its user may read, by the replica's own names.
        let tables: [TableColumns]
        let authorized: Set<Scope>
        /// In which order a scan reads them.
        let priorities: [Scope: ScopePriority]
        /// The user for whom its cursors are signed; `nil` where they are not signed.
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
            && name.suspended == state.attached.suspendedNames
    }

    /// The pull for its pages, by a state in which the view is current.
    ///
    /// Its cursors have caught up: they are complete in all authorized scopes, and name nothing
    /// else.
    func pull(
        on connection: any CentralConnection, _ state: HubState, signer: CursorSigner?
    ) -> Pull {
        Pull(
            connection: connection, epoch: name.epoch, tables: tables, suspended: name.suspended,
            signatures: signatures,
            scopes: ReplicaScopes(
                visible: name.authorized, authorized: name.authorized,
                priorities: name.priorities, grants: nil),
            signer: signer,
            limits: name.limits)
    }
}
