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
        /// A row that is soft-deleted stays, with its deletion marker, until somebody takes it away.
        case softDelete
        /// What is refused is refused for a cause that remains.
        case refusal
        /// Nobody takes another name or reads again without a cause, and what is offered says what it is.
        case cause
        /// A device pushes what its users did, and nothing else.
        case onlyOwnEdits
        /// A deleted key does not come back by itself.
        case deletion
        /// Within one epoch a cursor's checkpoint never goes back.
        case cursor
        case boundedMetadata
        /// A group goes up as one, and is taken or refused as one.
        case groups
        /// A table travels the way that the owner chose.
        case directions
        /// A user's device neither receives nor changes a row outside of the scopes that the user holds.
        case scopes
        /// What a user may not do is refused, and nothing else is refused for it.
        case rights
        /// A key that the hub promised to one replica comes to no other.
        case keys
        /// A column that is left out, or that only comes down, is written by no device.
        case columns
        /// A file that is emptied holds nothing of the one whose it was.
        case emptied
        /// Only a row that a device cannot hold is kept back from it.
        case withheld
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
    case diskFailed, powerCut, unprepared
    case wholeSync, grouped, localReference, removalForbidden, withheld
    case refusedDirection, upOnly
    case scopeGained, scopeLost, refusedOutside, refusedRight
    case softDeleted, broughtBack, sentWhole
    case columnHidden, columnLeftOut, columnListed, refusedColumn
    case keyBlock, keyUsed, keyMet
    case looped, retryWait, liveOpened, livePage, liveLate, liveEnded
    case signedIn, startedOver, wipeOrdered, wiped
    case forked, reconciled, expired, conflict, refused, scanned, repaired
}
