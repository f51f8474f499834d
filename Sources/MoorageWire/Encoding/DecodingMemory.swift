import MoorageCore

/// Counts about how much memory a message from outside needs, before anything is made from it. A
/// few bytes can become many values.
///
/// One task reads a message.
final class DecodingMemory {
    /// The most bytes for one message, in blocks or in JSON.
    static let maximum = JSON.maximumMemory
    /// At least this many bytes go into one call of `reserve`.
    private static let pieceBytes = 4_096

    private let limit: Int
    private let reserve: (Int) throws(HubError) -> Void
    /// The bytes that were used so far.
    private(set) var used = 0
    private var reserved = 0

    /// - Parameter reserve: Called with the memory that was used, so that a server can count many
    ///   messages together.
    init(
        limit: Int = DecodingMemory.maximum,
        reserve: @escaping (Int) throws(HubError) -> Void = { (_) throws(HubError) in }
    ) {
        self.limit = limit
        self.reserve = reserve
    }

    /// The memory for what this side wrote itself. The limit is more than a batch ever needed, and
    /// less than damaged bytes may claim.
    static var ofOwn: DecodingMemory { DecodingMemory(limit: 1_000_000_000) }

    /// - Throws: ``HubError`` `tooLarge` beyond the limit; what `reserve` throws.
    func use(_ count: Int) throws(HubError) {
        guard count >= 0, count <= limit - used else {
            throw HubError.needsTooMuchMemory(limit)
        }
        used += count
        guard used - reserved >= Self.pieceBytes else { return }
        try reserve(used - reserved)
        reserved = used
    }
}
