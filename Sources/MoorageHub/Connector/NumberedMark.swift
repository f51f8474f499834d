public import MoorageCore

/// A mark of the numbered clock of docs/design.md, 5.2: `number:nonce`.
public struct NumberedMark: Hashable, Sendable {
    public let number: Int64
    /// What tells the numbers of a restored database, which counts on, from those that it gave before.
    public let nonce: String

    public init(number: Int64, nonce: String) {
        self.number = number
        self.nonce = nonce
    }

    /// - Throws: ``CentralError`` of kind `invalidMark` for a text that is no such mark.
    public init(_ mark: Mark) throws {
        let parts = mark.text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let number = Int64(parts[0]), number >= 0 else {
            throw CentralError(.invalidMark, "a mark that is no number")
        }
        self.init(number: number, nonce: String(parts[1]))
    }

    public var mark: Mark { Mark("\(number):\(nonce)") }
}
