import Logging
import MoorageCore
import MoorageWire

/// A sign that the central history went back or moved (docs/reference/hub.md, Identity and epochs).
enum HistoryEvidence: String, Sendable {
    /// The database itself says that it is another one.
    case identity = "the central database is another one than before"
    /// A replica read up to a point that this history does not have.
    case checkpoint = "a replica read a state that the central database does not know"
    /// The hub answered a batch of a replica, and this history does not have that batch.
    case batch = "a replica was answered more batches than the central database knows of"
}

/// Decides what a sign of another history leads to. Whoever may sign in can make one up.
///
/// What the database says about itself begins a new epoch. So does the claim of a replica that the
/// hub has met before, once in ``interval``. After any other claim only the replica that makes it
/// reconciles (decision 0053).
struct HistoryCheck {
    /// Milliseconds for which replicas cannot begin another epoch.
    static let interval: Int64 = 86_400_000

    let connection: any CentralConnection
    let state: HubState
    let signer: CursorSigner?
    let request: ExchangeRequest

    /// - Parameter lastBatch: The last batch of this replica that the hub knows of.
    func evidence(lastBatch: Int64?) throws -> HistoryEvidence? {
        if state.identity != state.facts.identity { return .identity }
        let cursor = request.cursor
        guard cursor.epoch == state.facts.epoch else { return nil }
        // A made-up cursor says nothing about this hub's history.
        if signer?.accept(cursor) == false { return nil }
        if try cursor.isOfLostHistory(state.facts, connection) { return .checkpoint }
        // The hub never forgets the number of a replica's last batch.
        let answered = max(request.answered, (request.batch?.number ?? 1) - 1)
        guard answered > 0 else { return nil }
        return answered > lastBatch ?? 0 ? .batch : nil
    }

    /// Whether the evidence concerns everybody.
    func isForAll(_ evidence: HistoryEvidence, wasKnown: Bool) -> Bool {
        if evidence == .identity { return true }
        // The time is stored in the database: a restored database has forgotten a later one.
        let elapsed = state.facts.renewedAt.map { state.now.milliseconds(since: $0) } ?? .max
        return wasKnown && !(0..<Self.interval).contains(elapsed)
    }

    /// Begins a new epoch, unless somebody just did.
    func renewEpoch(
        _ evidence: HistoryEvidence, by principal: Principal?, makeID: @escaping () -> String,
        _ logger: Logger
    ) throws {
        let metadata = Metadata(connection: connection)
        let isRenewed = try connection.writing {
            // The second of two writers waits here.
            if evidence != .identity { try metadata.setRenewed(at: state.now) }
            guard try metadata.facts().epoch == state.facts.epoch else { return false }
            try Attachment(on: connection, makeID: makeID).renewEpoch()
            return true
        }
        guard isRenewed else { return }
        logger.warning(
            "A new epoch began: every replica reads everything again.",
            metadata: about(evidence, principal))
    }

    /// Logs a claim that concerns no other replica.
    func tellOfClaim(
        _ evidence: HistoryEvidence, by principal: Principal?, _ logger: Logger
    ) {
        logger.notice(
            "One replica tells of another history; it alone reads everything again.",
            metadata: about(evidence, principal))
    }

    private func about(_ evidence: HistoryEvidence, _ principal: Principal?) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["reason": "\(evidence.rawValue)"]
        // If the database itself says so, no replica caused it: this one only came first.
        if evidence == .identity { return metadata }
        metadata["replica"] = "\(request.replica)"
        if let principal { metadata["user"] = "\(principal.subject)" }
        return metadata
    }
}
