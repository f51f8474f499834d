import MoorageCore
import MoorageWire

/// What the hub keeps of an exchange whose answer stays open.
struct LiveOpening: Sendable {
    let member: LiveMember
    let view: LiveView
    let cursor: SyncCursor
    /// When the exchange began.
    let time: HubTime

    func at(_ cursor: SyncCursor) -> LiveOpening {
        LiveOpening(member: member, view: view, cursor: cursor, time: time)
    }
}

/// Whose stream it is.
struct LiveMember: Hashable, Sendable {
    let replica: String
    /// What else the gate asks for (docs/reference/protocol.md, 4).
    let formerly: String?
    let user: String?
    let principal: Principal?
    /// What the replica gets only because it subscribed to it. The rest is not kept.
    let requested: Set<Scope>

    /// - Parameter requested: The scopes of the request that come on request.
    init(
        _ request: ExchangeRequest, of principal: Principal?, requested: Set<Scope> = []
    ) {
        replica = request.replica
        formerly = request.formerly
        user = request.user
        self.requested = requested
        self.principal = principal
    }

    func gate(
        on connection: any CentralConnection, _ configuration: HubConfiguration
    ) -> ReplicaGate {
        ReplicaGate(
            connection: connection, replica: replica, formerly: formerly, user: user,
            principal: principal, configuration: configuration)
    }

    /// A replica has only one stream, the newest.
    var name: Name { Name(replica: replica, subject: principal?.subject) }

    struct Name: Hashable {
        let replica: String
        let subject: String?
    }
}
