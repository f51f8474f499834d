public import MoorageCore

/// A checkpoint of the numbered clock of docs/reference/hub.md, Versions and checkpoints:
/// `number:nonce`.
public struct NumberedCheckpoint: Hashable, Sendable {
    public let number: Int64
    /// Distinguishes the numbers of a restored database, which counts on, from those that it gave
    /// before.
    public let nonce: String

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

    public var checkpoint: Checkpoint { Checkpoint("\(number):\(nonce)") }
}
