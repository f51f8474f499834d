public import Foundation
public import MoorageCore

/// A local change that is not yet answered: the folded log of one row.
public struct PendingChange: Hashable, Sendable, Identifiable {
    public enum Kind: String, Hashable, Sendable {
        case insert, update, delete
        /// The change asks for nothing but the row as it is at the hub.
        case refetch
    }

    /// Stays the same while the row is edited further.
    public struct ID: Hashable, Sendable {
        let row: RowName
        let isInFlight: Bool
    }

    public let table: String
    public let key: Key
    public let kind: Kind
    /// Values of the row, or of its edited columns, before the first edit; by column.
    public let before: [String: Value]
    /// Their values now, or when they were sent; by column.
    public let after: [String: Value]
    /// By the device's clock.
    public let editedAt: Date
    /// It was sent, and its answer is not here yet.
    public let isInFlight: Bool
    /// It was sent once, under another replica id or in another history: the hub may have it.
    public let mayBeAtHub: Bool
    /// `nil` for what is in flight.
    let stamp: PendingStamp?

    public var id: ID { ID(row: RowName(table: table, key: key), isInFlight: isInFlight) }
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
