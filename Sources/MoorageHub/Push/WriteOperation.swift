import MoorageCore

/// One row to write, as a push decided it.
struct WriteOperation: Sendable {
    enum Kind: Hashable, Sendable {
        case insert, update, delete
    }

    /// The change that asks for it, as its place in the batch.
    let change: Int
    let table: AttachedTable
    let kind: Kind
    let key: Key
    /// The columns written, as positions at the hub, with their values; of a delete the whole row
    /// as it is.
    let columns: [Int]
    let values: [Value]
}

/// A write that the database refused.
struct RefusedOperation: Sendable {
    let operation: WriteOperation
    let refusal: Refusal
}
