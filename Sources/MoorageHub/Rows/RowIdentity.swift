import MoorageCore
import MoorageWire

/// The replica that the logs name for a user's programs: `rest-` and a digest of the user's
/// name. Whoever runs the hub can revoke it like any other.
struct RowIdentity {
    let replica: String
    private let principal: Principal?

    init(_ principal: Principal?) {
        self.principal = principal
        replica = principal.map { Self.prefix + $0.digest } ?? "rest"
    }

    private static let prefix = "rest-"

    /// Whether the logs name programs of a user by this id.
    static func isReplica(_ id: String) -> Bool { id.hasPrefix(prefix) }

    /// The hub does not record at each write when it saw a program.
    private static let seenEvery: Int64 = 600_000

    /// - Throws: ``HubError`` `replicaRevoked`.
    func check(_ metadata: Metadata) throws {
        _ = try known(metadata)
    }

    private func known(_ metadata: Metadata) throws -> Registration? {
        let known = try metadata.registration(of: replica)
        if let known, known.standing != .active { throw HubError.replicaRevoked }
        return known
    }

    /// Checks that the user's programs may write, inside the transaction of the writes, and records
    /// when they did.
    ///
    /// - Throws: ``HubError`` `replicaRevoked`.
    func admit(_ metadata: Metadata, now: HubTime) throws {
        guard let known = try known(metadata) else { return try register(metadata, now: now) }
        guard now.milliseconds(since: known.seenAt) > Self.seenEvery else { return }
        try metadata.setSeen(replica, by: principal?.subject, at: now)
    }

    private func register(_ metadata: Metadata, now: HubTime) throws {
        let registration = Registration(
            subject: principal?.subject, standing: .active, seenAt: now)
        do {
            try metadata.register(replica, registration, now: now)
        } catch let error as CentralError {
            // Two requests may be the first ones.
            guard case .refused(let refusal) = error.kind, refusal.code == .unique else {
                throw error
            }
            throw CentralError.replicaRegisteredMeanwhile
        }
    }
}
