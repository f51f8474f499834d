import MoorageCore

/// The memory that a message from outside comes to, about, counted before anything is made of it: few
/// bytes can stand for many values.
///
/// A message is read by one task.
final class DecodingMemory {
    /// Bytes of one message, in blocks or in JSON.
    static let maximum = JSON.maximumMemory
    /// Who counts the memory of many messages is asked for so much at once.
    private static let pieceBytes = 4_096

    private let limit: Int
    private let reserve: (Int) throws(HubError) -> Void
    /// What was used so far.
    private(set) var used = 0
    private var reserved = 0

    /// - Parameter reserve: Asked for memory besides, by who counts that of many messages.
    init(
        limit: Int = DecodingMemory.maximum,
        reserve: @escaping (Int) throws(HubError) -> Void = { (_) throws(HubError) in }
    ) {
        self.limit = limit
        self.reserve = reserve
    }

    /// For what this side wrote itself: more than a batch ever came to, and less than damaged bytes may
    /// tell.
    static var ofOwn: DecodingMemory { DecodingMemory(limit: 1_000_000_000) }

    /// - Throws: ``HubError`` `tooLarge` beyond the limit; what `reserve` throws.
    func use(_ count: Int) throws(HubError) {
        guard count >= 0, count <= limit - used else {
            throw HubError(
                .tooLarge, "The message comes to more memory than one may, \(limit) bytes.")
        }
        used += count
        guard used - reserved >= Self.pieceBytes else { return }
        try reserve(used - reserved)
        reserved = used
    }
}
