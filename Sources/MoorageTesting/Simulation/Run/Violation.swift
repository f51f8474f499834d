import GRDB
import Moorage
import MoorageWire

/// A promise that a history broke.
public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// What noticed; a shortened story must break the same.
    public enum Oracle: String, Hashable, Sendable, CaseIterable {
        /// At rest every device holds what the centre holds.
        case convergence
        /// A caught-up page leaves a state that the centre really had, own changes apart.
        case snapshot
        case foreignKeys
        /// Every committed local value arrives, or is superseded, logged, or refused.
        case nothingLost
        case exactlyOnce
        /// After a push the value stands that the rules say.
        case merge
        /// What is refused is refused for a cause that remains.
        case refusal
        /// Nobody takes another name or reads anew without a cause, and what is offered says what it is.
        case cause
        /// A device pushes what its users did, and nothing else.
        case onlyOwnEdits
        /// A deleted key does not come back by itself.
        case deletion
        /// Within one epoch a cursor's mark never goes back.
        case cursor
        case boundedMetadata
        /// Without faults everyone comes to rest within a bounded number of exchanges.
        case progress
        case honestStatus
        /// Nothing fails but what was made to fail, and errors are typed.
        case errors
        /// A broken check of the tests' own.
        case planted
    }

    public let oracle: Oracle
    public let message: String
    /// Which error it was; a shortened story must end with the same.
    let code: String?

    public var description: String { "\(oracle.rawValue): \(message)" }

    init(_ oracle: Oracle, _ message: String, code: String? = nil) {
        self.oracle = oracle
        self.message = message
        self.code = code
    }

    /// An error that nothing in the history explains.
    init(_ error: any Error, _ message: String) {
        let code =
            switch error {
            case let error as ReplicaError: error.code.rawValue
            case let error as HubError: error.code.rawValue
            case let error as DatabaseError: error.resultCode.description
            default: "\(type(of: error))"
            }
        self.init(.errors, message, code: code)
    }

    /// Whether both are the same promise broken in the same way.
    func isLike(_ other: Violation) -> Bool { oracle == other.oracle && code == other.code }
}

/// What became of one history.
public struct SimulationResult: Hashable, Sendable {
    public let violation: Violation?
    /// Of every frame's bytes and of the databases at the end: the same history, the same digest.
    public let digest: String
    /// How often each fault and each interesting branch was reached.
    public let reached: [Reached: Int]
}

/// What a suite of histories must have reached, or it shows nothing.
public enum Reached: String, Hashable, Sendable, CaseIterable {
    case localCommit, localRefusal, centralCommit, exchange, caughtUp, dropped
    case lost, deaf, twice, cut, crash, hubRestart, interrupted, hubInterrupted, hubBusy
    case interleaved
    case editBetween, officeBetween, redelivered
    case backup, restored, copied, clockJump, hubRestored, triggersDropped, migrated, attached
    case diskFailed, powerCut, tookBack
    case forked, reconciled, expired, conflict, refused, walked, recompared
}
