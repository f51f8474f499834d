public import MoorageWire

/// What went wrong on the device: a stable code, a full sentence, and what to do next.
///
/// It names tables, columns and ids, never values or secrets.
public struct ReplicaError: Error, Sendable, CustomStringConvertible {
    public let code: Code
    public let message: String
    public let recovery: Recovery
    /// The error beneath, when there is one.
    public let cause: (any Error)?

    public init(
        _ code: Code, _ message: String, recovery: Recovery, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.recovery = recovery
        self.cause = cause
    }

    public var description: String { "\(code.rawValue): \(message)" }

    /// What the app can do; an enum, because a new kind needs a decision from every app.
    public enum Recovery: Hashable, Sendable {
        /// Nothing: the replica tries again by itself, not before this time has passed.
        case retry(after: Duration?)
        /// Change the local table, or the central one, as the message says.
        case changeSchema
        /// Choose what the message asks for, in the call that makes the replica.
        case choose
        /// Make the call again in another way, as the message says.
        case changeCall
        /// Give a valid secret.
        case signIn
        /// Ship a newer version of the app.
        case updateApp
        /// Ask whoever runs the hub.
        case askOperator
        /// A defect of the replica or of the hub.
        case reportBug
    }
}

extension ReplicaError {
    /// A stable code; a struct, so that a new one breaks no caller.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        // The file.
        /// Its metadata was written by a newer version of this library.
        public static let metadataNewer = Code(rawValue: "metadataNewer")
        /// Its metadata lost something that no trigger brings back.
        public static let metadataDamaged = Code(rawValue: "metadataDamaged")
        public static let diskFull = Code(rawValue: "diskFull")
        /// SQLite calls the file corrupt, or no database.
        public static let corrupt = Code(rawValue: "corrupt")
        public static let database = Code(rawValue: "database")
        /// The app closed the database that the replica was given.
        public static let databaseClosed = Code(rawValue: "databaseClosed")

        // The tables.
        public static let noSuchTable = Code(rawValue: "noSuchTable")
        public static let notATable = Code(rawValue: "notATable")
        public static let keyMismatch = Code(rawValue: "keyMismatch")
        /// A NOT NULL column without default that only one side has.
        public static let missingColumn = Code(rawValue: "missingColumn")
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        public static let uniqueIndexUnknown = Code(rawValue: "uniqueIndexUnknown")
        public static let foreignKeyUnknown = Code(rawValue: "foreignKeyUnknown")
        /// A name that is not UTF-8: our SQL cannot contain it.
        public static let unreadableName = Code(rawValue: "unreadableName")
        public static let unguardedTrigger = Code(rawValue: "unguardedTrigger")
        /// The table has rows already, and the app did not say what becomes of them.
        public static let tableNotEmpty = Code(rawValue: "tableNotEmpty")
        /// The table changed in a way that the replica cannot adopt.
        public static let tableSuspended = Code(rawValue: "tableSuspended")

        // Pending changes.
        /// A suspended table has changes that were never sent, and the call would lose them.
        public static let changesPending = Code(rawValue: "changesPending")
        /// The hub may have the change, so it cannot be reverted.
        public static let alreadySent = Code(rawValue: "alreadySent")
        /// The row was edited or sent after its change was listed.
        public static let pendingChanged = Code(rawValue: "pendingChanged")
        /// Another row, or the state of its table, prevents a revert.
        public static let revertBlocked = Code(rawValue: "revertBlocked")

        /// A refused or overruled change cannot be written again as it was.
        public static let resubmitBlocked = Code(rawValue: "resubmitBlocked")

        /// The hub has to hand out more keys of the table first.
        public static let noKeysLeft = Code(rawValue: "noKeysLeft")
        /// A group of changes is larger than a batch may be.
        public static let groupTooLarge = Code(rawValue: "groupTooLarge")
        public static let groupOutsideTransaction = Code(rawValue: "groupOutsideTransaction")

        /// The rows of this table only come from the hub: a local write was refused.
        public static let readOnly = Code(rawValue: "readOnly")

        // What arrives.
        /// Not everything was sent and received within the time limit.
        public static let notCaughtUp = Code(rawValue: "notCaughtUp")
        /// The answer breaks a rule of the protocol.
        public static let protocolViolation = Code(rawValue: "protocolViolation")
        /// A local table that is not synced refers to a removed row and forbids its removal.
        public static let removalForbidden = Code(rawValue: "removalForbidden")
        public static let differentHub = Code(rawValue: "differentHub")
        /// A clone needs an empty file.
        public static let fileNotEmpty = Code(rawValue: "fileNotEmpty")

        /// An error of the hub, under the hub's own code.
        public static func hub(_ code: HubError.Code) -> Code { Code(rawValue: code.rawValue) }
    }

    /// The hub's error in the replica's terms.
    public init(_ error: HubError) {
        let recovery: Recovery =
            switch error.code {
            case .unauthorized: .signIn
            case .protocolTooOld: .updateApp
            case .malformed, .internalError, .cursorInvalid: .reportBug
            case .differentHub, .differentUser: .choose
            case .cursorExpired: .retry(after: nil)
            default: error.isTransient ? .retry(after: error.retryAfter) : .askOperator
            }
        self.init(.hub(error.code), error.message, recovery: recovery, cause: error)
    }
}
