import MoorageCore

/// How long the hub remembers deletions and batches.
///
/// A replica that was away for longer reads everything from nothing. The horizon goes by two rules
/// at once, so that a clock that jumps ahead cannot make everyone forget: it is a mark that is
/// older than the retention time, and behind the newest mark by as many steps as the time is
/// divided into.
public struct RetentionPolicy: Hashable, Sendable {
    /// In milliseconds.
    public let time: Int64
    /// How many marks are noted within the time.
    public let steps: Int
    /// How long the conflict log is kept, in milliseconds; `nil` for ever.
    public let conflicts: Int64?

    /// - Parameters:
    ///   - time: At least a day, unless for tests; devices keep their acknowledged batches for 90
    ///     days.
    ///   - steps: 1 to 1000.
    ///   - conflicts: How long the conflict log is kept, no shorter than `time`; for ever unless said.
    public init(
        time: Duration = .seconds(90 * 86_400), steps: Int = 90, conflicts: Duration? = nil
    ) {
        self.time = max(1, time.components.seconds) * 1000
        self.conflicts = conflicts.map { [time = self.time] in
            max(time, $0.components.seconds * 1000)
        }
        self.steps = min(max(1, steps), 1000)
    }

    /// Milliseconds between two marks.
    private var interval: Int64 { time / Int64(steps) }

    /// - Parameter last: When the last purge was through, in milliseconds since 1970; 0 for one that
    ///   is under way.
    func isDue(since last: Int64, now: Int64) -> Bool { last == 0 || isApart(last, now) }

    /// Whether a step of time lies between; a clock that was set back counts as well.
    func isApart(_ earlier: Int64, _ later: Int64) -> Bool {
        let (difference, isBeyond) = later.subtractingReportingOverflow(earlier)
        return isBeyond || difference.magnitude >= UInt64(interval)
    }

    /// The mark to forget behind: the newest that is old enough by both rules.
    func horizon(among marks: [DatedMark], now: Int64) -> DatedMark? {
        guard let newest = marks.last else { return nil }
        if planted(.horizonTooNear) { return newest }
        return marks.last {
            $0.position <= newest.position - Int64(steps) && $0.at <= now - time
        }
    }
}

/// A mark, and when it was the newest.
struct DatedMark: Hashable, Sendable {
    /// Counts up from 1.
    let position: Int64
    let mark: Mark
    /// Milliseconds since 1970, by the database's clock.
    let at: Int64
}
