import MoorageCore
import MoorageHub

/// A checkpoint of the snapshot clock: `xmin:xmax:xip,…`, as `pg_current_snapshot()` prints it.
struct SnapshotCheckpoint: Hashable, Sendable {
    let text: String
    /// Every transaction below it was over.
    let minimum: UInt64
    /// No transaction from it on had begun.
    let maximum: UInt64

    /// Transactions between the two that were still running.
    private let running: [UInt64]

    /// Whether everything that the other shows is visible here too.
    func shows(everythingOf other: SnapshotCheckpoint) -> Bool {
        maximum >= other.maximum
            && running.allSatisfy { $0 >= other.maximum || other.running.contains($0) }
    }

    init(_ checkpoint: Checkpoint) throws {
        let parts = checkpoint.text.utf8.split(
            separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, let minimum = Self.number(parts[0]),
            let maximum = Self.number(parts[1]), minimum > 0, minimum <= maximum,
            checkpoint.text.utf8.count < 1_000_000
        else { throw CentralError.invalidCheckpoint }
        var running: [UInt64] = []
        if !parts[2].isEmpty {
            for part in parts[2].split(
                separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            {
                guard let number = Self.number(part), number > running.last ?? 0,
                    number >= minimum, number < maximum
                else { throw CentralError.invalidCheckpoint }
                running.append(number)
            }
        }
        self.running = running
        text = checkpoint.text
        self.minimum = minimum
        self.maximum = maximum
    }

    private static func number(_ text: Substring.UTF8View.SubSequence) -> UInt64? {
        guard !text.isEmpty, text.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        return UInt64(String(decoding: text, as: UTF8.self))
    }
}
