import MoorageCore
import MoorageWire

/// Decides whether a replica may sync. It belongs to the user who came with it first, and to nobody
/// else.
struct ReplicaGate {
    let connection: any CentralConnection
    let replica: String
    /// The id before this one, by which the hub may know the file.
    let formerly: String?
    /// What the file says about its user.
    let user: String?
    let principal: Principal?
    let configuration: HubConfiguration

    /// The hub does not record at each exchange when it saw a replica: most exchanges write
    /// nothing.
    private static let seenEvery: Int64 = 600_000

    /// What the hub knew of a replica before this exchange.
    struct PriorState {
        /// The number of its last batch that the hub took.
        let lastBatch: Int64?
        /// Whether the hub took a batch of it, or recorded whose it is.
        let isKnown: Bool
    }

    /// Admits an exchange, and records it.
    ///
    /// - Throws: ``HubError``: `differentUser`, `replicaRevoked`, `replicaWiped`, `clientTooOld`,
    ///   `tooMany`.
    func admit(_ request: ExchangeRequest, now: HubTime) throws -> PriorState {
        try checkUser()
        let (registration, lastBatch) = try Metadata(connection: connection)
            .acquaintance(with: replica)
        if let registration {
            try admit(request, known: registration, now: now)
        } else {
            try admitUnknown(request, now: now)
        }
        return PriorState(
            lastBatch: lastBatch, isKnown: lastBatch != nil || registration != nil)
    }

    private func admit(_ request: ExchangeRequest, known: Registration, now: HubTime) throws {
        try checkUser(known)
        // The first exchange after the order only receives it. An empty file proves nothing yet,
        // because a file that was just made is empty, too.
        if known.standing == .toBeWiped {
            try write { try $0.setStanding(replica, .beingWiped, from: .toBeWiped, at: now) }
        } else if known.standing == .beingWiped, request.holdsNothing {
            try write { try $0.setStanding(replica, .wiped, from: .beingWiped, at: now) }
        }
        try checkStanding(known)
        try checkVersion(of: request)
        let isNew = known.subject == nil && principal != nil
        guard
            isNew || request.report != nil
                || now.milliseconds(since: known.seenAt) > Self.seenEvery
        else { return }
        try write { metadata in
            try metadata.setSeen(replica, by: principal?.subject, at: now)
            // If two users come at once, the first one has it. A user that was forgotten just now
            // leaves no report behind.
            if let known = try metadata.registration(of: replica) {
                try checkUser(known)
                try checkStanding(known)
            }
            try record(request, metadata, now: now)
        }
    }

    private func record(
        _ request: ExchangeRequest, _ metadata: Metadata, now: HubTime
    ) throws {
        guard let report = request.report else { return }
        try metadata.record(report, asking: request.tables, of: replica, at: now)
    }

    /// Admits a file that the hub does not know by this id, but perhaps by the one before.
    private func admitUnknown(_ request: ExchangeRequest, now: HubTime) throws {
        let before = try registrationBefore()
        if let before {
            try checkUser(before)
            // Another file may have the old id as well, and has yet to receive the order.
            if [.toBeWiped, .beingWiped].contains(before.standing) {
                let told = Registration(
                    subject: before.subject, standing: .beingWiped, seenAt: now)
                try write { try $0.register(replica, told, now: now) }
            }
            try checkStanding(before)
        }
        try checkVersion(of: request)
        guard let principal else {
            guard request.report != nil else { return }
            return try writeFirst { try record(request, $0, now: now) }
        }
        // Ids that the hub itself made necessary count, too, because a client can make them up.
        let limit = configuration.maximumReplicasPerUser
        try register(principal, request, now: now, limit: before == nil ? limit : 2 * limit)
    }

    private func registrationBefore() throws -> Registration? {
        try formerly.flatMap { try Metadata(connection: connection).registration(of: $0) }
    }

    /// Checks that a replica may send a request that changes nothing.
    func check() throws {
        try checkUser()
        let known = try Metadata(connection: connection).registration(of: replica)
        guard let known = try known ?? registrationBefore() else { return }
        try checkUser(known)
        try checkStanding(known)
    }

    /// Checks what the file says about its user: a restored database may have forgotten whose it
    /// is.
    private func checkUser() throws {
        guard let user, user != principal?.digest else { return }
        throw HubError.differentUser
    }

    private func checkStanding(_ known: Registration) throws {
        switch known.standing {
        case .active: break
        case .revoked: throw HubError.replicaRevoked
        case .toBeWiped, .beingWiped, .wiped: throw HubError.replicaWiped
        }
    }

    private func checkUser(_ known: Registration) throws {
        guard let subject = known.subject else { return }
        guard let principal, principal.subject.hasSameBytes(as: subject) else {
            throw HubError.differentUser
        }
    }

    /// Checks that the app is new enough. Whose the replica is, and what was ordered, comes first.
    private func checkVersion(of request: ExchangeRequest) throws {
        guard let minimum = configuration.minimumClientVersion,
            !ClientVersion.isNewEnough(request.clientVersion, for: minimum)
        else { return }
        throw HubError.clientTooOld(minimum: minimum)
    }

    private func register(
        _ principal: Principal, _ request: ExchangeRequest, now: HubTime, limit: Int
    ) throws {
        // Counted before the transaction, so that a client that is refused again and again keeps no
        // writer waiting.
        let count = try Metadata(connection: connection).countReplicas(
            of: principal.subject, since: now - configuration.retention.time)
        guard count < max(1, limit) else { throw HubError.tooManyReplicas }
        try writeFirst {
            let registration = Registration(
                subject: principal.subject, standing: .active, seenAt: now)
            try $0.register(replica, registration, now: now)
            try record(request, $0, now: now)
        }
    }

    /// Writes the first rows of a replica.
    private func writeFirst(_ work: (Metadata) throws -> Void) throws {
        do {
            try write(work)
        } catch let error as CentralError {
            // Any other refusal, such as a missing right, would never go away.
            guard case .refused(let refusal) = error.kind, refusal.code == .unique else {
                throw error
            }
            // If two exchanges come at once, the first one has it.
            throw CentralError.replicaRegisteredMeanwhile
        }
    }

    private func write(_ work: (Metadata) throws -> Void) throws {
        try connection.writing { try work(Metadata(connection: connection)) }
    }
}

extension ExchangeRequest {
    /// Whether the replica is empty: it knows no checkpoint and no epoch, and pushes nothing.
    fileprivate var holdsNothing: Bool {
        batch == nil && cursor.knownCheckpoints.isEmpty && cursor.epoch == nil
    }
}
