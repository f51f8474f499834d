public import MoorageWire

/// What went wrong on the device: a stable code, a full sentence, and what to do next.
///
/// It names tables, columns and ids, never values or secrets.
public struct ReplicaError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for programs. A code means the same in every version.
    public let code: Code
    /// What happened, what is safe and what to do, in full English sentences for people.
    public let message: String
    /// What kind of step helps.
    public let recovery: Recovery
    /// The underlying error, such as one of SQLite or of the hub; `nil` without one.
    public let cause: (any Error)?

    /// An error as a replica throws it, also for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - code: What went wrong, for programs.
    ///   - message: The same for people, in full sentences.
    ///   - recovery: What kind of step helps.
    ///   - cause: The underlying error; `nil` without one.
    public init(
        _ code: Code, _ message: String, recovery: Recovery, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.recovery = recovery
        self.cause = cause
    }

    /// The code and the message.
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
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code as text. It means the same in every version.
        public let rawValue: String

        /// A code by its text.
        ///
        /// - Parameter rawValue: Any text, also of a code that this version does not know.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The code's text.
        public var description: String { rawValue }

        // The file.
        /// Its metadata was written by a newer version of this library.
        public static let metadataNewer = Code(rawValue: "metadataNewer")
        /// Something else wrote the replica's own tables in the file. Restore the file, or clone
        /// again.
        public static let metadataDamaged = Code(rawValue: "metadataDamaged")
        /// The device's disk is full. Nothing is half done, and the replica tries again.
        public static let diskFull = Code(rawValue: "diskFull")
        /// SQLite calls the file corrupt, or no database.
        public static let corrupt = Code(rawValue: "corrupt")
        /// The local database failed or was busy, and the replica tries again. `startOver` throws
        /// it if other processes write to the file all the time.
        public static let database = Code(rawValue: "database")
        /// The app closed the database that the replica was given.
        public static let databaseClosed = Code(rawValue: "databaseClosed")

        // The tables.
        /// The local database lacks the table. `nextID` throws it for a table that this device has
        /// suspended, or that is not synced.
        public static let noSuchTable = Code(rawValue: "noSuchTable")
        /// The name is that of a view or a virtual table, which cannot be synced.
        public static let notATable = Code(rawValue: "notATable")
        /// The table has no primary key, or another one than at the hub.
        public static let keyMismatch = Code(rawValue: "keyMismatch")
        /// Only one side has a column that is NOT NULL without a default. Or the table lacks the
        /// column that `createdAt` or `updatedAt` names.
        public static let missingColumn = Code(rawValue: "missingColumn")
        /// The local type of a column would change the hub's values.
        public static let typeMismatch = Code(rawValue: "typeMismatch")
        /// The hub lacks a unique index that the local table has.
        public static let uniqueIndexUnknown = Code(rawValue: "uniqueIndexUnknown")
        /// The hub lacks a foreign key that the local table has. Or that key refers to a table that
        /// is not in the replica's list.
        public static let foreignKeyUnknown = Code(rawValue: "foreignKeyUnknown")
        /// A name that is not UTF-8: our SQL cannot contain it.
        public static let unreadableName = Code(rawValue: "unreadableName")
        /// A trigger of the app would write a synced table while the replica writes the hub's rows.
        /// Add `WHEN NOT EXISTS (SELECT 1 FROM _moorage_applying)` to it.
        public static let unguardedTrigger = Code(rawValue: "unguardedTrigger")
        /// The table has rows already, and the app did not say what becomes of them.
        public static let tableNotEmpty = Code(rawValue: "tableNotEmpty")
        /// The table changed in a way that the replica cannot adopt.
        public static let tableSuspended = Code(rawValue: "tableSuspended")

        // Pending changes.
        /// There are changes that were never sent, and the call would lose them: those of a
        /// suspended table, or all of a file that is to be erased.
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
        /// `group` was called outside a transaction.
        public static let groupOutsideTransaction = Code(rawValue: "groupOutsideTransaction")

        /// A subscription cannot be as the app asks for it, or there are too many.
        public static let subscriptionInvalid = Code(rawValue: "subscriptionInvalid")

        /// The rows of this table only come from the hub: a local write was refused.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The user may not make a local write, and the app lists the table with
        /// `refusesForbidden`.
        public static let permission = Code(rawValue: "permission")

        // What arrives.
        /// Not everything was sent and received within the time limit.
        public static let notCaughtUp = Code(rawValue: "notCaughtUp")
        /// The answer breaks a rule of the protocol.
        public static let protocolViolation = Code(rawValue: "protocolViolation")
        /// A local table that is not synced refers to a removed row and forbids its removal.
        public static let removalForbidden = Code(rawValue: "removalForbidden")
        /// Another hub answered than the one that the file belongs to. Nothing changed.
        public static let differentHub = Code(rawValue: "differentHub")
        /// A clone needs a file without its tables, and `Replica(…)` one that is no unfinished
        /// clone. `startOver` does not overwrite a file with its copy.
        public static let fileNotEmpty = Code(rawValue: "fileNotEmpty")

        /// An error of the hub, or of the way to it, under the hub's own code.
        ///
        /// - Parameter code: The hub's code, such as `unauthorized` or `unreachable`.
        public static func hub(_ code: HubError.Code) -> Code { Code(rawValue: code.rawValue) }
    }

    /// The hub's error in the replica's terms.
    ///
    /// - Parameter error: What the hub answered. It becomes the ``cause``.
    public init(_ error: HubError) {
        let recovery: Recovery =
            switch error.code {
            case .unauthorized: .signIn
            case .protocolTooOld, .clientTooOld: .updateApp
            case .malformed, .internalError, .cursorInvalid: .reportBug
            case .differentHub, .differentUser, .notFound: .choose
            case .cursorExpired: .retry(after: nil)
            default: error.isTransient ? .retry(after: error.retryAfter) : .askOperator
            }
        self.init(.hub(error.code), error.message, recovery: recovery, cause: error)
    }
}
