public import Foundation
public import MoorageCore

/// A local change that is not yet answered: what one row's log says, folded.
public struct PendingChange: Hashable, Sendable, Identifiable {
    public enum Kind: String, Hashable, Sendable {
        case insert, update, delete
        /// Nothing is asked for: the hub is asked what the row is.
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
    /// What the row, or its edited columns, held before the first edit; by column.
    public let before: [String: Value]
    /// What they hold now, or held when they were sent; by column.
    public let after: [String: Value]
    /// By the device's clock.
    public let editedAt: Date
    /// It was sent, and its answer is not here yet.
    public let isInFlight: Bool
    /// It was sent once, under another name or in another history: the hub may have it.
    public let mayBeAtHub: Bool
    /// `nil` for what is in flight.
    let stamp: PendingStamp?

    public var id: ID { ID(row: RowName(table: table, key: key), isInFlight: isInFlight) }
}

/// The state of a row's log that a change was listed from: another edit gives another one.
struct PendingStamp: Hashable, Sendable {
    let replica: String
    /// The last batch that was prepared: what the log holds after it has other places.
    let batch: Int64
    let first: Int64
    let last: Int64
    /// The key as the log has it, in the hub's order.
    let localKey: LocalKey
}
