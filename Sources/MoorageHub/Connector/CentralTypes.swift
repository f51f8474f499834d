public import MoorageCore

/// A table of the owner's, as `attach` finds it.
public struct CentralTable: Hashable, Sendable {
    public let name: String
    public let support: Support

    public enum Support: Hashable, Sendable {
        case supported(TableDescription)
        /// Why it cannot be synced and what would fix it, as a full sentence.
        case unsupported(String)
    }

    /// The SQL that makes it one that can be, where there is any.
    public let repair: [String]

    /// The highest integer that the type of its only key column holds; `nil` for one of 64 bits, or no such key.
    public let keyCapacity: Int64?

    public init(
        name: String, support: Support, repair: [String] = [], keyCapacity: Int64? = nil
    ) {
        self.name = name
        self.support = support
        self.repair = repair
        self.keyCapacity = keyCapacity
    }

    public init(name: String, problem: TableProblem) {
        self.init(name: name, support: .unsupported(problem.reason), repair: problem.repair)
    }
}

/// A table that the hub tracks.
public struct AttachedTable: Hashable, Sendable {
    /// Names the table's tracking objects; never used twice.
    public let number: Int
    public let description: TableDescription
    /// How its rows come into scopes, while it is attached; none where every row is everyone's.
    public let scopes: [ScopePath]

    public init(number: Int, description: TableDescription, scopes: [ScopePath] = []) {
        self.number = number
        self.description = description
        self.scopes = scopes
    }

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
    public let key: Key
    public let values: [Value]

    public init(key: Key, values: [Value]) {
        self.key = key
        self.values = values
    }
}

public struct KeyedTime: Hashable, Sendable {
    public let key: Key
    /// What the connector is to keep as the time of the row's last change.
    public let changedAt: HubTime

    public init(key: Key, changedAt: HubTime) {
        self.key = key
        self.changedAt = changedAt
    }
}

/// The values that an SQL rule speaks of.
public struct RuleValues: Hashable, Sendable {
    public let base: Value
    public let mine: Value
    public let theirs: Value

    public init(base: Value, mine: Value, theirs: Value) {
        self.base = base
        self.mine = mine
        self.theirs = theirs
    }

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
    public let table: AttachedTable
    public let written: [Key]
    /// Rows that were deleted, with what they held: others may refer to any of it.
    public let deleted: [[Value]]

    public init(table: AttachedTable, written: [Key], deleted: [[Value]]) {
        self.table = table
        self.written = written
        self.deleted = deleted
    }
}

/// Which tracking rows of a table and scope, and in which order.
///
/// But for ``all``, without tombstones of rows that were in the scope in no state with a checkpoint: they came
/// and went within a transaction or, where the hub numbers the changes, before they had a number. Even
/// as a scan's position their keys would say too much. Who was sent such a row has it in its cursor.
public enum TrackingQuery: Hashable, Sendable {
    /// What changed beyond `since`, by version, then key. With `within`, only what that checkpoint shows;
    /// without, all that the snapshot shows, not yet numbered rows last.
    case beyond(since: Checkpoint, within: Checkpoint?)
    /// Live rows by key; with `copiedAt` also the tombstones beyond that checkpoint. With `within`, only
    /// what that checkpoint shows.
    case fromNothing(copiedAt: Checkpoint?, within: Checkpoint?)
    /// Every live row by key, and those that went beyond `goneAfter`; without it every tracking row.
    /// With `lostAt` only what had come into the scope by that checkpoint.
    case revoke(goneAfter: Checkpoint?, lostAt: Checkpoint?)

    /// Every tracking row by key.
    public static let all = TrackingQuery.revoke(goneAfter: nil, lostAt: nil)
}

/// Where a reading of tracking rows goes on.
public struct TrackingPosition: Hashable, Sendable {
    /// 0 for queries that go by key; the highest number behind all rows that have one, among those that
    /// have none yet.
    public let version: UInt64
    public let key: Key

    public init(version: UInt64, key: Key) {
        self.version = version
        self.key = key
    }
}

/// The scopes whose rows are compared.
public struct ComparedScopes: Hashable, Sendable {
    /// Those that the user holds.
    public let authorized: Set<Scope>
    /// Those among them of which the replica may hold rows: it is told what went from them.
    public let read: Set<Scope>
    /// Those among them that the replica has read to their end: a row that is in none of them may not
    /// have been sent yet.
    public let whole: Set<Scope>

    public init(authorized: Set<Scope>, read: Set<Scope>, whole: Set<Scope>) {
        self.authorized = authorized
        self.read = read
        self.whole = whole
    }

    /// All of them were read.
    public init(_ scopes: Set<Scope>) { self.init(authorized: scopes, read: scopes, whole: scopes) }
}

/// One row of a table for comparing.
public struct ComparedCentralRow: Hashable, Sendable {
    public let key: Key
    /// `nil` for a row deleted beyond the checkpoint.
    public let values: [Value]?
    /// It changed beyond the checkpoint, or the replica has not read any of its scopes to the end.
    public let isBeyondCheckpoint: Bool
    /// Whether the row was ever in one of the scopes, as for a ``TrackingQuery``.
    public let hasBeenIn: Bool

    public init(key: Key, values: [Value]?, isBeyondCheckpoint: Bool, hasBeenIn: Bool) {
        self.key = key
        self.values = values
        self.isBeyondCheckpoint = isBeyondCheckpoint
        self.hasBeenIn = hasBeenIn
    }
}
