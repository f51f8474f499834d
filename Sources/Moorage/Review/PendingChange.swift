public import Foundation
public import MoorageCore

/// A local change that is not yet answered: all edits of one row since it was last sent.
public struct PendingChange: Hashable, Sendable, Identifiable {
    /// Stays the same while the row is edited further.
    public struct ID: Hashable, Sendable {
        let row: RowName
        let isInFlight: Bool
    }

    /// The table's name at the hub.
    public let table: String
    /// The row's key, as the hub writes it.
    public let key: RowKey
    /// What the change does to its row.
    public let kind: ChangeKind
    /// Values of the row, or of its edited columns, before the first edit; by column.
    public let before: [String: Value]
    /// Their values now, or when they were sent; by column.
    public let after: [String: Value]
    /// When the row was edited last, by the device's clock.
    public let editedAt: Date
    /// Whether it was sent, and its answer is not here yet.
    public let isInFlight: Bool
    /// Whether it was sent once, under another replica id or in another history: the hub may have
    /// it.
    public let mayBeAtHub: Bool
    /// `nil` for what is in flight.
    let stamp: PendingStamp?

    /// What tells the change from others in the list.
    public var id: ID { ID(row: RowName(table: table, key: key), isInFlight: isInFlight) }

    init(
        table: String, key: RowKey, kind: ChangeKind, before: [String: Value],
        after: [String: Value], editedAt: Date, isInFlight: Bool, mayBeAtHub: Bool,
        stamp: PendingStamp?
    ) {
        self.table = table
        self.key = key
        self.kind = kind
        self.before = before
        self.after = after
        self.editedAt = editedAt
        self.isInFlight = isInFlight
        self.mayBeAtHub = mayBeAtHub
        self.stamp = stamp
    }

    /// A change that no file has, for previews and tests of an app's screens. A replica does not
    /// revert it.
    ///
    /// - Parameters:
    ///   - table: The table's name at the hub.
    ///   - key: The row's key.
    ///   - kind: What the change does to its row.
    ///   - before: Values before the first edit, by column.
    ///   - after: Values now, by column.
    ///   - editedAt: When the row was edited last.
    ///   - isInFlight: Whether it was sent, and its answer is not here yet.
    ///   - mayBeAtHub: Whether it was sent once under another replica id.
    public init(
        table: String, key: RowKey, kind: ChangeKind, before: [String: Value] = [:],
        after: [String: Value] = [:], editedAt: Date, isInFlight: Bool = false,
        mayBeAtHub: Bool = false
    ) {
        self.init(
            table: table, key: key, kind: kind, before: before, after: after, editedAt: editedAt,
            isInFlight: isInFlight, mayBeAtHub: mayBeAtHub, stamp: nil)
    }
}

/// The state of a row's log when the change was listed: another edit gives another one.
struct PendingStamp: Hashable, Sendable {
    let replica: String
    /// The last batch that was prepared: what is in the log after it has other places.
    let batch: Int64
    let first: Int64
    let last: Int64
    /// The key as the log has it, in the hub's order.
    let localKey: LocalKey
}
