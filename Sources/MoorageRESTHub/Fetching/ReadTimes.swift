import Moorage
import MoorageSupport

/// When this process read each collection last, and so which of them an exchange reads.
final class ReadTimes: Sendable {
    private let times = Locked<[String: ContinuousClock.Instant]>([:])
    /// How long an exchange for commits takes for new what was read, unless the model says so.
    private static let usual = Duration.seconds(30)

    /// Whether an exchange reads a collection.
    ///
    /// - Parameter interval: What the model says; `nil` for nothing.
    func isDue(
        _ table: String, every interval: Duration?, for occasion: ExchangeOccasion
    ) -> Bool {
        let fresh: Duration
        switch occasion {
        case .asked: return true
        case .interval: fresh = interval ?? .zero
        case .commit: fresh = interval ?? Self.usual
        }
        guard let time = times.withLock({ $0[table] }) else { return true }
        return ContinuousClock.now - time >= fresh
    }

    func read(_ table: String) { times.withLock { $0[table] = .now } }
}
