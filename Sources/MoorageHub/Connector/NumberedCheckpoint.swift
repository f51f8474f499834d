public import MoorageCore

/// A checkpoint of the numbered clock of docs/reference/hub.md, Versions and checkpoints:
/// `number:nonce`.
public struct NumberedCheckpoint: Hashable, Sendable {
    /// The highest number that the checkpoint shows, 0 or more. Whatever has this number or a lower
    /// one is within the checkpoint.
    public let number: Int64
    /// Distinguishes the numbers of a restored database, which counts on, from those that it gave
    /// before.
    public let nonce: String

    /// - Parameters:
    ///   - number: 0 or more; ``init(_:)`` reads no other.
    ///   - nonce: The text that the connector stored with the number.
    public init(number: Int64, nonce: String) {
        self.number = number
        self.nonce = nonce
    }

    /// - Throws: ``CentralError`` of kind `invalidCheckpoint` for a text that is no such
    ///   checkpoint.
    public init(_ checkpoint: Checkpoint) throws {
        let parts = checkpoint.text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let number = Int64(parts[0]), number >= 0 else {
            throw CentralError.invalidCheckpoint
        }
        self.init(number: number, nonce: String(parts[1]))
    }

    /// The checkpoint as the hub stores it and sends it in cursors: `number:nonce`.
    public var checkpoint: Checkpoint { Checkpoint("\(number):\(nonce)") }
}
