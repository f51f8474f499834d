public import MoorageCore

/// A table of the owner's, as `attach` finds it.
public struct CentralTable: Hashable, Sendable {
    /// The name as the database spells it, without quotes or a schema.
    public let name: String
    /// The table in portable types, or why it cannot be synced.
    public let support: Support

    /// Whether a table can be synced.
    public enum Support: Hashable, Sendable {
        /// It can be synced, with these columns and keys in portable types.
        case supported(TableDescription)
        /// Why it cannot be synced and what would fix it, as a full sentence.
        case unsupported(String)
    }

    /// The SQL after which the table can be synced, where there is any.
    public let repair: [String]

    /// The highest integer that the type of its only key column allows; `nil` for 64 bits, or where
    /// there is no such key.
    public let keyCapacity: Int64?

    /// What can become the key of a table that lacks only a primary key; `nil` for other tables.
    public let keyless: KeylessTable?

    /// - Parameter repair: Statements for the owner to run; none for a table that can be synced.
    public init(
        name: String, support: Support, repair: [String] = [], keyCapacity: Int64? = nil
    ) {
        self.name = name
        self.support = support
        self.repair = repair
        self.keyCapacity = keyCapacity
        keyless = nil
    }

    /// A table that cannot be synced, with the reason and repair of the problem.
    ///
    /// - Parameter keyless: Where the missing primary key is the only problem.
    public init(name: String, problem: TableProblem, keyless: KeylessTable? = nil) {
        self.name = name
        support = .unsupported(problem.reason)
        repair = problem.repair
        keyCapacity = nil
        self.keyless = keyless
    }
}

/// A table that the hub tracks.
public struct AttachedTable: Hashable, Sendable {
    /// Names the table's tracking objects; never used twice.
    public let number: Int
    /// The table in portable types. A column number in this contract is a place in its columns,
    /// from 0.
    public let description: TableDescription
    /// How its rows come into scopes, while it is attached; empty where every row is everyone's.
    public let scopes: [ScopePath]

    /// - Parameter scopes: Leave them out where every row is everyone's.
    public init(number: Int, description: TableDescription, scopes: [ScopePath] = []) {
        self.number = number
        self.description = description
        self.scopes = scopes
    }

    /// The name of the owner's table, as in its description.
    public var name: String { description.name }

    /// The name of one of the table's tracking objects: `moorage_<kind>_<number>_<table>`, of ASCII
    /// letters, digits and underscores, and short enough for every database.
    public func objectName(_ kind: String) -> String {
        let readable = description.name.utf8.prefix(24).map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: UInt8(ascii: "_")
            }
        }
        return "moorage_\(kind)_\(number)_" + String(decoding: readable, as: UTF8.self)
    }
}

/// Values to set in the row of a key, in the order of the columns that go with them.
public struct KeyedValues: Hashable, Sendable {
    /// The primary key that finds the row.
    public let key: RowKey
    /// As many values as there are columns to set.
    public let values: [Value]

    /// - Parameter values: One for each column to set, in the order of those columns.
    public init(key: RowKey, values: [Value]) {
        self.key = key
        self.values = values
    }
}

/// When a row that the hub wrote was changed, on the hub's clock.
public struct KeyedTime: Hashable, Sendable {
    /// The primary key of the row, which may be deleted.
    public let key: RowKey
    /// The time that the connector stores as that of the row's last change.
    public let changedAt: HubTime

    /// - Parameter changedAt: The connector stores it as it is, even if it is long before now.
    public init(key: RowKey, changedAt: HubTime) {
        self.key = key
        self.changedAt = changedAt
    }
}

/// The values that an SQL rule refers to.
public struct RuleValues: Hashable, Sendable {
    /// The column's before-image: what it contained before the device's edit; NULL without one.
    public let base: Value
    /// What the device pushed.
    public let mine: Value
    /// What the central row contains now.
    public let theirs: Value

    /// All three are values of the column's portable type, or NULL.
    public init(base: Value, mine: Value, theirs: Value) {
        self.base = base
        self.mine = mine
        self.theirs = theirs
    }

    /// The value that replaces a word of the expression.
    public subscript(_ word: RuleExpression.Word) -> Value {
        switch word {
        case .base: base
        case .mine: mine
        case .theirs: theirs
        }
    }
}

/// What a push has written to one table since the savepoint.
public struct WrittenRows: Sendable {
    /// The table of all these rows.
    public let table: AttachedTable
    /// Keys of rows that were inserted or updated.
    public let written: [RowKey]
    /// Rows that were deleted, with their values: other rows may refer to any of them.
    public let deleted: [[Value]]

    /// - Parameter deleted: Whole rows, with their values in the order of the table's columns.
    public init(table: AttachedTable, written: [RowKey], deleted: [[Value]]) {
        self.table = table
        self.written = written
        self.deleted = deleted
    }
}

/// Selects and orders the tracking rows of a table and scope.
///
/// All queries except ``all`` leave out tombstones of rows that no state with a checkpoint had in
/// the scope. Such a row came and went within one transaction or, where the hub numbers the
/// changes, before it had a number. Even as a scan's position its key would reveal too much. The
/// cursor of a replica that was sent such a row names it.
public enum TrackingQuery: Hashable, Sendable {
    /// What changed beyond `since`, by version, then key. With `within`, only what that checkpoint
    /// shows. Without it, all that the snapshot shows, with rows that have no number yet last.
    case beyond(since: Checkpoint, within: Checkpoint?)
    /// Live rows by key; with `copiedAt` also the tombstones beyond that checkpoint. With `within`,
    /// only what that checkpoint shows.
    case fromNothing(copiedAt: Checkpoint?, within: Checkpoint?)
    /// Every live row by key, and those that were removed beyond `goneAfter`; without it every
    /// tracking row. With `lostAt`, only what had come into the scope by that checkpoint.
    case revoke(goneAfter: Checkpoint?, lostAt: Checkpoint?)

    /// Every tracking row by key.
    public static let all = TrackingQuery.revoke(goneAfter: nil, lostAt: nil)
}

/// Where reading tracking rows continues.
public struct TrackingPosition: Hashable, Sendable {
    /// 0 for queries by key. For a row without a number it is the highest number, which comes after
    /// all others.
    public let version: UInt64
    /// The key of the last row that was read, as the connector returned it: its normal form may have
    /// another place in the database's order. Reading continues with the row after it. A key without
    /// values comes before all rows of the version.
    public let key: RowKey

    /// - Parameters:
    ///   - version: The version of the last row; 0 for a query by key.
    ///   - key: Without values, to read all rows of the version.
    public init(version: UInt64, key: RowKey) {
        self.version = version
        self.key = key
    }
}

/// The scopes whose rows are compared.
public struct ComparedScopes: Hashable, Sendable {
    /// The scopes that the user may see.
    public let authorized: Set<Scope>
    /// The scopes among them of which the replica may have rows. It learns which rows were removed
    /// from them.
    public let read: Set<Scope>
    /// The scopes among them that the replica has read to their end. A row that is in no such scope
    /// may not have been sent yet.
    public let whole: Set<Scope>

    /// - Parameters:
    ///   - read: A part of `authorized`.
    ///   - whole: A part of `authorized`; empty while the replica has read no scope to its end.
    public init(authorized: Set<Scope>, read: Set<Scope>, whole: Set<Scope>) {
        self.authorized = authorized
        self.read = read
        self.whole = whole
    }

    /// For a replica that has read all of them.
    public init(_ scopes: Set<Scope>) { self.init(authorized: scopes, read: scopes, whole: scopes) }
}

/// One row of a table for comparing.
public struct ComparedCentralRow: Hashable, Sendable {
    /// The primary key, also of a row that is gone. Reading continues behind it, so it need not be in
    /// its normal form.
    public let key: RowKey
    /// `nil` for a row deleted beyond the checkpoint.
    public let values: [Value]?
    /// Whether it changed beyond the checkpoint, or the replica has read none of its scopes to the
    /// end.
    public let isBeyondCheckpoint: Bool
    /// Whether the row was ever in one of the scopes, as for a ``TrackingQuery``.
    public let hasBeenIn: Bool

    /// - Parameter values: In the order of the table's columns; `nil` for a row that is gone.
    public init(key: RowKey, values: [Value]?, isBeyondCheckpoint: Bool, hasBeenIn: Bool) {
        self.key = key
        self.values = values
        self.isBeyondCheckpoint = isBeyondCheckpoint
        self.hasBeenIn = hasBeenIn
    }
}
