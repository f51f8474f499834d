/// The hub's answer for one pushed change.
public struct Outcome: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The row is as the replica asked, or was already.
        case applied
        /// Some columns went in, others lost by the table's rule, or a rule made one value, or two
        /// rows, of both sides; what lost is in the conflict log.
        case merged
        /// Nothing went in, by the table's rule; what lost is in the conflict log.
        case overruled
        case refused(Refusal)
    }

    public let kind: Kind
    /// Values that the central database stored otherwise than they were pushed (a trigger, a
    /// scale), by column.
    public let stored: [StoredValue]
    /// What the change lost to; `nil` when it did not lose.
    public let overruling: Overruling?

    public init(kind: Kind, stored: [StoredValue] = [], overruling: Overruling? = nil) {
        self.kind = kind
        self.stored = stored
        self.overruling = overruling
    }
}

/// A pushed value that the central database changed on the way in.
public struct StoredValue: Hashable, Sendable {
    public let column: Int
    public let value: Value

    public init(column: Int, value: Value) {
        self.column = column
        self.value = value
    }
}

/// Why one change was refused. It names columns and constraints, never values.
public struct Refusal: Hashable, Sendable {
    public let code: Code
    public let message: String

    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// A stable code; a struct, so that a new one breaks no caller.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let check = Code(rawValue: "check")
        public static let unique = Code(rawValue: "unique")
        public static let foreignKey = Code(rawValue: "foreignKey")
        public static let notNull = Code(rawValue: "notNull")
        public static let type = Code(rawValue: "type")
        /// A trigger or another rule of the owner's.
        public static let trigger = Code(rawValue: "trigger")
        /// The row that an update is for was deleted.
        public static let gone = Code(rawValue: "gone")
        /// The row that an update is for was deleted, and is to come back: the replica sends it whole.
        public static let resurrect = Code(rawValue: "resurrect")
        /// A rule of the owner's said no, or could not decide.
        public static let rule = Code(rawValue: "rule")
        /// A sum that the column cannot hold.
        public static let overflow = Code(rawValue: "overflow")
        public static let permission = Code(rawValue: "permission")
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The table's rows come from the hub alone.
        public static let readOnly = Code(rawValue: "readOnly")
        /// Another change of the same group was not taken.
        public static let group = Code(rawValue: "group")
        public static let unknownTable = Code(rawValue: "unknownTable")
        public static let unknownColumn = Code(rawValue: "unknownColumn")
        /// The table stands still at the hub until its owner runs `moorage attach` again.
        public static let tableSuspended = Code(rawValue: "tableSuspended")
        /// The value cannot be held by the central database (text with NUL in PostgreSQL).
        public static let notRepresentable = Code(rawValue: "notRepresentable")
        /// The central database failed on this change alone, in a way that the hub does not know.
        public static let failed = Code(rawValue: "failed")
        /// On the device: text that is not UTF-8 cannot be sent.
        public static let invalidText = Code(rawValue: "invalidText")
        /// On the device: what was kept when the replica was reconciled with a restored or repaired
        /// history.
        public static let recovered = Code(rawValue: "recovered")
    }
}
