import GRDB
import Moorage
import MoorageWire

/// A promise that a history broke.
package struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
    /// The check that failed; a shortened history must fail the same check.
    package enum Oracle: String, Hashable, Sendable, CaseIterable {
        /// At rest, every device has what the central database has.
        case convergence
        /// A caught-up page leaves a state that the central database really had, except for own
        /// changes.
        case snapshot
        case foreignKeys
        /// Every committed local value arrives, or is superseded, logged, or refused.
        case nothingLost
        case exactlyOnce
        /// After a push, each value is the one that the rules determine.
        case merge
        /// A soft-deleted row stays, with its deletion marker, until somebody clears the marker.
        case softDelete
        /// The hub refuses a change only for a cause that remains.
        case refusal
        /// No device takes another name or reads again without a cause, and what is offered again
        /// says so.
        case cause
        /// A device pushes what its users did, and nothing else.
        case onlyOwnEdits
        /// No value wins that nobody edited after another one took its place, and what a migration
        /// wrote wins over nothing.
        case staleValue
        /// A deleted key does not come back by itself.
        case deletion
        /// Within one epoch a cursor's checkpoint never goes back.
        case cursor
        case boundedMetadata
        /// A group goes up as one, and the hub accepts or refuses it as one.
        case groups
        /// A table syncs in the direction that the owner chose.
        case directions
        /// A user's device neither receives nor changes a row outside of the user's authorized
        /// scopes.
        case scopes
        /// A device asks for what its app subscribed to, for as long as the app said, and what is
        /// of high priority arrives first.
        case subscriptions
        /// The hub refuses what a user may not do, and refuses nothing else for this cause.
        case rights
        /// A key that the hub promised to one replica goes to no other.
        case keys
        /// No device writes a column that is left out or down-only.
        case columns
        /// An emptied file contains nothing of its former user.
        case emptied
        /// A row is withheld from a device only when the device cannot store it.
        case withheld
        /// Without faults, everyone is at rest after a bounded number of exchanges.
        case progress
        case honestStatus
        /// Only planned failures occur, and errors are typed.
        case errors
        /// A failed check of the tests' own.
        case planted
    }

    package let oracle: Oracle
    package let message: String
    /// Which error it was; a shortened history must end with the same.
    let code: String?

    package var description: String { "\(oracle.rawValue): \(message)" }

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

    /// Whether both break the same promise in the same way.
    func isLike(_ other: Violation) -> Bool { oracle == other.oracle && code == other.code }
}

/// The result of one history.
package struct SimulationResult: Hashable, Sendable {
    package let violation: Violation?
    /// The digest of every frame's bytes and of the databases at the end. The same history gives
    /// the same digest.
    package let digest: String
    /// How often each fault and each interesting branch was reached.
    package let reached: [Reached: Int]
}

/// What a suite of histories must reach to show anything.
package enum Reached: String, Hashable, Sendable, CaseIterable {
    case localCommit, localRefusal, centralCommit, exchange, caughtUp, dropped
    case lost, deaf, twice, cut, crash, hubRestart, interrupted, hubInterrupted, hubBusy
    case interleaved
    case editBetween, officeBetween, redelivered
    case backup, restored, copied, clockJump, hubRestored, triggersDropped, migrated, attached
    case altered, upgraded, filled, tableOutdated, tableAdded, tableDropped
    case diskFailed, powerCut, unprepared
    case wholeSync, grouped, localReference, removalForbidden, withheld
    case refusedDirection, upOnly
    case scopeGained, scopeLost, refusedOutside, refusedRight
    case subscribed, unsubscribed, subscriptionEnded, scopeUnavailable, pushedElsewhere
    case priorityScan
    case softDeleted, broughtBack, sentWhole
    case columnHidden, columnLeftOut, columnListed, refusedColumn
    case keyBlock, keyUsed, keyMet
    case looped, retryWait, liveOpened, livePage, liveLate, liveEnded
    case signedIn, startedOver, wipeOrdered, wiped
    case forked, reconciled, expired, conflict, refused, scanned, repaired
}
