/// The hub's answer for one pushed change.
package struct Outcome: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The row is now as the replica asked, or was so before. Fills never count for the kind.
        case applied
        /// Some columns were written and others lost by the table's rule, or a rule combined both
        /// sides. A rule combines them into one value, or keeps two rows. The conflict log has what
        /// lost.
        case merged
        /// No edit was written, by the table's rule. The conflict log has what lost.
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
    /// The column's position in its table, from 0.
    public let column: Int
    /// The value that is stored there. In a ``Conflict`` it is the value of one side.
    public let value: Value

    package init(column: Int, value: Value) {
        self.column = column
        self.value = value
    }
}

/// Why one change was refused. It names columns and constraints, never values.
public struct Refusal: Hashable, Sendable {
    /// The kind of reason, for programs. Treat a code that you do not know like ``Code/check``.
    public let code: Code
    /// The reason in English, for a person. It may quote the text that an owner's trigger raises.
    public let message: String

    /// - Parameter message: Full sentences without a row's values, with what to do where possible.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// A stable code; a struct, so that a new one breaks no caller.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String
        public var description: String { rawValue }
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A check of the database fails, or no partition accepts the row.
        public static let check = Code(rawValue: "check")
        /// Another row has the same unique value, or excludes this one.
        public static let unique = Code(rawValue: "unique")
        /// The row that it refers to is missing or refused, or other rows refer to the deleted row.
        public static let foreignKey = Code(rawValue: "foreignKey")
        /// A column needs a value and has NULL. A column of the key always needs one.
        public static let notNull = Code(rawValue: "notNull")
        /// A value is not of its column's type, is too long, or is out of range. Also a change of a
        /// key's value, or of a generated column.
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
        /// The user, or the hub's role in the database, may not write this table, column or row.
        public static let permission = Code(rawValue: "permission")
        /// A value or a row is too large. On the device also a group beyond the limits of a batch.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// The table's rows come from the hub alone.
        public static let readOnly = Code(rawValue: "readOnly")
        /// Another change of the same group was not taken.
        public static let group = Code(rawValue: "group")
        /// The hub does not sync the table. Hubs of this version never send this code.
        public static let unknownTable = Code(rawValue: "unknownTable")
        /// The hub does not sync the column. Hubs of this version never send this code.
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
