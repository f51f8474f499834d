import MoorageCore
import MoorageWire

/// Lets a replica in: it is the user's who came with it first, and nobody else's.
struct ReplicaGate {
    let connection: any CentralConnection
    let replica: String
    /// The name before it, under which the file may be known.
    let formerly: String?
    /// What the file says of its user.
    let user: String?
    let principal: Principal?
    let configuration: HubConfiguration

    /// When a replica was last seen is not written at each exchange: most of them write nothing.
    private static let seenEvery: Int64 = 600_000

    /// What the hub knew of a replica before this exchange.
    struct PriorState {
        /// The number of the last batch that was taken of it.
        let lastBatch: Int64?
        /// Whether it took a batch of it, or wrote down whose it is.
        let isKnown: Bool
    }

    /// Lets an exchange in, and notes it.
    ///
    /// - Throws: ``HubError``: `differentUser`, `replicaRevoked`, `replicaWiped`, `tooMany`.
    func admit(_ request: ExchangeRequest, now: HubTime) throws -> PriorState {
        try checkUser()
        let (registration, lastBatch) = try Metadata(connection: connection)
            .acquaintance(with: replica)
        if let registration {
            try admit(request, known: registration, now: now)
        } else {
            try admitUnknown(now: now)
        }
        return PriorState(
            lastBatch: lastBatch, isKnown: lastBatch != nil || registration != nil)
    }

    private func admit(_ request: ExchangeRequest, known: Registration, now: HubTime) throws {
        try checkUser(known)
        // The first time it is told; a file that was just made is empty, too.
        if known.standing == .toBeWiped {
            try write { try $0.setStanding(replica, .beingWiped, from: .toBeWiped, at: now) }
        } else if known.standing == .beingWiped, request.holdsNothing {
            try write { try $0.setStanding(replica, .wiped, from: .beingWiped, at: now) }
        }
        try checkStanding(known)
        let isNew = known.subject == nil && principal != nil
        guard isNew || now.milliseconds(since: known.seenAt) > Self.seenEvery else { return }
        try write { metadata in
            try metadata.setSeen(replica, by: principal?.subject, at: now)
            // Two users at once: whoever was first has it.
            try metadata.registration(of: replica).map(checkUser)
        }
    }

    /// A file that nobody knows by this name, and perhaps by the one before.
    private func admitUnknown(now: HubTime) throws {
        let before = try registrationBefore()
        if let before {
            try checkUser(before)
            // The old name may be another file's as well, which is still to be told.
            if [.toBeWiped, .beingWiped].contains(before.standing) {
                let told = Registration(
                    subject: before.subject, standing: .beingWiped, seenAt: now)
                try write { try $0.register(replica, told, now: now) }
            }
            try checkStanding(before)
        }
        guard let principal else { return }
        // Names that the hub itself made necessary count, too, for they can be made up.
        let limit = configuration.maximumReplicasPerUser
        try register(principal, now: now, limit: before == nil ? limit : 2 * limit)
    }

    private func registrationBefore() throws -> Registration? {
        try formerly.flatMap { try Metadata(connection: connection).registration(of: $0) }
    }

    /// Sees that a replica may ask something that changes nothing.
    func check() throws {
        try checkUser()
        let known = try Metadata(connection: connection).registration(of: replica)
        guard let known = try known ?? registrationBefore() else { return }
        try checkUser(known)
        try checkStanding(known)
    }

    /// By the file's own word: a restored database may have forgotten whose it is.
    private func checkUser() throws {
        guard let user, user != principal?.digest else { return }
        throw Self.differentUser
    }

    private func checkStanding(_ known: Registration) throws {
        switch known.standing {
        case .active: break
        case .revoked:
            throw HubError(
                .replicaRevoked,
                "This replica may not sync any more. Ask whoever runs the hub; nothing was changed."
            )
        case .toBeWiped, .beingWiped, .wiped:
            throw HubError(
                .replicaWiped,
                "This replica was ordered to delete what it holds, and may not sync any more.")
        }
    }

    private func checkUser(_ known: Registration) throws {
        guard let subject = known.subject else { return }
        guard let principal, principal.subject.hasSameBytes(as: subject) else {
            throw Self.differentUser
        }
    }

    private static let differentUser = HubError(
        .differentUser,
        """
        This file is another user's replica. Let that user sign in again, or start over with \
        `startOver`; nothing was changed.
        """)

    private func register(_ principal: Principal, now: HubTime, limit: Int) throws {
        // Counted before the transaction: whoever is refused all the time keeps no writer waiting.
        let count = try Metadata(connection: connection).countReplicas(
            of: principal.subject, since: now - configuration.retention.time)
        guard count < max(1, limit) else { throw Self.tooMany }
        do {
            try write {
                let registration = Registration(
                    subject: principal.subject, standing: .active, seenAt: now)
                try $0.register(replica, registration, now: now)
            }
        } catch let error as CentralError {
            // Another refusal, of a right that is missing, never goes away.
            guard case .refused(let refusal) = error.kind, refusal.code == .unique else {
                throw error
            }
            // Two at once: whoever was first has it.
            throw CentralError(.conflict, "the replica was registered at the same moment")
        }
    }

    private static let tooMany = HubError(
        .tooMany,
        """
        This user has begun as many replicas as one may within the time that deletions are remembered. Go \
        on with one of them, or ask whoever runs the hub for a higher limit; nothing was changed.
        """, retryAfter: .seconds(3_600))

    private func write(_ work: (Metadata) throws -> Void) throws {
        try connection.writing { try work(Metadata(connection: connection)) }
    }
}

extension ExchangeRequest {
    /// The replica was emptied: it knows no state of the database, nor which history it was of, and has
    /// nothing to say.
    fileprivate var holdsNothing: Bool {
        batch == nil && cursor.knownCheckpoints.isEmpty && cursor.epoch == nil
    }
}
