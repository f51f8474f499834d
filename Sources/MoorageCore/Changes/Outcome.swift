/// The hub's answer for one pushed change.
package struct Outcome: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The row is now as the replica asked, or was so before.
        case applied
        /// Some columns were written and others lost by the table's rule, or a rule combined both
        /// sides. A rule combines them into one value, or keeps two rows. The conflict log has what
        /// lost.
        case merged
        /// Nothing was written, by the table's rule. The conflict log has what lost.
        case overruled
        case refused(Refusal)
    }

    package let kind: Kind
    /// Pushed values that the central database changed when it stored them, by column. A trigger or
    /// a scale can change them.
    package let stored: [StoredValue]
    /// What the change lost to; `nil` when it did not lose.
    package let overruling: Overruling?

    package init(kind: Kind, stored: [StoredValue] = [], overruling: Overruling? = nil) {
        self.kind = kind
        self.stored = stored
        self.overruling = overruling
    }
}

/// A pushed value that the central database changed when it stored it.
public struct StoredValue: Hashable, Sendable {
    public let column: Int
    public let value: Value

    package init(column: Int, value: Value) {
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
        /// A trigger, or another rule of the owner.
        public static let trigger = Code(rawValue: "trigger")
        /// The row that the update changes was deleted.
        public static let gone = Code(rawValue: "gone")
        /// The row that the update changes was deleted and is to come back: the replica sends it
        /// whole.
        public static let resurrect = Code(rawValue: "resurrect")
        /// A rule of the owner rejected the change, or could not decide.
        public static let rule = Code(rawValue: "rule")
        /// The sum does not fit the column.
        public static let overflow = Code(rawValue: "overflow")
        public static let permission = Code(rawValue: "permission")
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The table's rows come from the hub alone.
        public static let readOnly = Code(rawValue: "readOnly")
        /// Another change of the same group was not taken.
        public static let group = Code(rawValue: "group")
        public static let unknownTable = Code(rawValue: "unknownTable")
        public static let unknownColumn = Code(rawValue: "unknownColumn")
        /// The table is suspended until its owner runs `moorage attach` again.
        public static let tableSuspended = Code(rawValue: "tableSuspended")
        /// The central database cannot store the value (text with NUL in PostgreSQL).
        public static let notRepresentable = Code(rawValue: "notRepresentable")
        /// The central database failed on this change alone, for a reason that the hub does not
        /// know.
        public static let failed = Code(rawValue: "failed")
        /// On the device: text that is not UTF-8 cannot be sent.
        public static let invalidText = Code(rawValue: "invalidText")
        /// On the device: what was kept when the replica was reconciled with a restored or repaired
        /// history.
        public static let recovered = Code(rawValue: "recovered")
    }
}
