import MoorageCore
import MoorageWire

/// Lets a replica in: it is the user's who came with it first, and nobody else's.
struct ReplicaGate {
    let connection: any CentralConnection
    let replica: String
    let principal: Principal?

    /// When a replica was last seen is not written at each exchange: most of them write nothing.
    private static let seenEvery: Int64 = 600_000

    /// Lets an exchange in, and notes it.
    ///
    /// - Throws: ``HubError``: `differentUser`, `replicaRevoked`, `replicaWiped`.
    func admit(_ request: ExchangeRequest, now: Int64) throws {
        guard let known = try Metadata(connection: connection).registration(of: replica) else {
            if let principal { try register(principal, now: now) }
            return
        }
        try checkUser(known)
        // The first time it is told; a file that was just made is empty, too.
        if known.standing == .toBeWiped {
            try write { try $0.setStanding(replica, .beingWiped, from: .toBeWiped, at: now) }
        } else if known.standing == .beingWiped, request.holdsNothing {
            try write { try $0.setStanding(replica, .wiped, from: .beingWiped, at: now) }
        }
        try checkStanding(known)
        let isNew = known.subject == nil && principal != nil
        guard isNew || now - known.seenAt > Self.seenEvery else { return }
        try write { metadata in
            try metadata.setSeen(replica, by: principal?.subject, at: now)
            // Two users at once: whoever was first has it.
            try metadata.registration(of: replica).map(checkUser)
        }
    }

    /// Sees that a replica may ask something that changes nothing.
    func check() throws {
        guard let known = try Metadata(connection: connection).registration(of: replica) else {
            return
        }
        try checkUser(known)
        try checkStanding(known)
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
            throw HubError(
                .differentUser,
                """
                This file is another user's replica. Let that user sign in again, or begin anew with \
                `startOver`; nothing was changed.
                """)
        }
    }

    private func register(_ principal: Principal, now: Int64) throws {
        do {
            try write {
                let registration = Registration(
                    subject: principal.subject, standing: .active, seenAt: now)
                try $0.register(replica, registration, now: now)
            }
        } catch let error as CentralError {
            guard case .refused = error.kind else { throw error }
            // Two at once: whoever was first has it.
            throw CentralError(.conflict, "the replica was registered at the same moment")
        }
    }

    private func write(_ work: (Metadata) throws -> Void) throws {
        try connection.writing { try work(Metadata(connection: connection)) }
    }
}

extension ExchangeRequest {
    /// The replica was emptied: it knows no state of the database, and has nothing to say.
    fileprivate var holdsNothing: Bool { batch == nil && cursor.states.isEmpty }
}
