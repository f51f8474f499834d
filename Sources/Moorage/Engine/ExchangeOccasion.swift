/// Why an exchange begins, for a connection that need not read everything each time.
///
/// It travels with the task. A hub never learns it.
package enum ExchangeOccasion: Hashable, Sendable {
    /// The app asks for it, or nothing is known of it.
    case asked
    /// The pull interval is over.
    case interval
    /// There are local commits to send, or the last exchange was over a moment ago.
    case commit

    /// The occasion of this task's exchange.
    @TaskLocal package static var current = ExchangeOccasion.asked
}

/// The occasions of the loop's exchanges.
struct LoopOccasions: Sendable {
    private(set) var next = ExchangeOccasion.asked
    /// Whether the app asked for an exchange that has not begun.
    private var isAsked = false

    /// - Parameter isDebouncing: Whether the loop waited until local commits pause.
    mutating func proceeded(
        after event: RunMachine.Event, to effect: RunMachine.Effect, isDebouncing: Bool
    ) {
        var isCommit = isDebouncing
        switch event {
        case .begin: isAsked = true
        case .woken(let reasons, _): isAsked = isAsked || reasons.contains(.request)
        // What was asked for has not come.
        case .failed: isAsked = isAsked || next == .asked
        case .synced, .opened, .closed: isCommit = true
        }
        switch effect {
        case .sync, .open:
            next = isAsked ? .asked : isCommit ? .commit : .interval
            isAsked = false
        case .close, .wait, .end: break
        }
    }
}
