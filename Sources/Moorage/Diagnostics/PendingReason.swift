public import Foundation
public import MoorageCore

/// Why a local change is not at the hub yet.
public enum PendingReason: Hashable, Sendable {
    /// It was sent with the batch of this number, and the answer is not here. The replica sends the
    /// batch again until it is answered. The time is when the batch was prepared, by the device's
    /// clock.
    case sent(batch: Int64, at: Date)
    /// This device does not send it as it is: it is in ``Replica/refusedChanges``, or the next
    /// exchange puts it there. Correct the row, and it is sent.
    case unsendable(Refusal.Code)
    /// Its table is suspended. The code is the raw value of a ``ReplicaError/Code``.
    case tableSuspended(code: String)
    /// It needs a row that is not sent now, directly or through others.
    ///
    /// - Parameters:
    ///   - table: The table of that row, by its name at the hub.
    ///   - key: Its key; `nil` for a deletion, if a row of the table referred to the deleted one.
    ///   - code: Why that row is not sent: the code of a suspended table, or that of a refusal. It
    ///     is `group` for a row of a group that waits.
    case needsRow(table: String, key: RowKey?, code: String)
    /// It is part of a group that has a row of this suspended table, and a group is sent as a whole.
    case groupNeedsTable(String, code: String)
    /// The user may not make this change, so the hub will refuse it.
    case notAllowed
    /// The replica has not met its hub yet.
    case hubUnknown
    /// Exchanges have failed since then, because the hub cannot be reached or cannot work now.
    case offline(since: Date, code: String)
    /// Exchanges have failed since then, because the user has to sign in again.
    case signedOut(since: Date)
    /// Exchanges have failed since then, because the hub wants a newer version of the app.
    case updateRequired(since: Date)
    /// Exchanges have failed since then for another reason: the raw value of a
    /// ``ReplicaError/Code``.
    case failing(since: Date, code: String)
    /// The batch of this number is answered first. One batch is under way at a time.
    case behindBatch(Int64)
    /// Nothing prevents it: it goes with the next exchange, or with one after it if the log is long.
    case nextExchange
}
