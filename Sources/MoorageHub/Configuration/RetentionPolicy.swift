import MoorageCore

/// How long the hub remembers deletions and batches.
///
/// A replica that was away for longer reads everything from nothing. The horizon goes by two rules
/// at once, so that a clock that jumps ahead cannot make everyone forget: it is a checkpoint that is
/// older than the retention time, and behind the newest checkpoint by as many steps as the time is
/// divided into.
public struct RetentionPolicy: Hashable, Sendable {
    /// In milliseconds.
    public let time: Int64
    /// How many checkpoints are recorded within the time.
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

    /// Milliseconds between two checkpoints.
    private var interval: Int64 { time / Int64(steps) }

    /// - Parameter last: When the last purge was through; 0 for one that is under way.
    func isDue(since last: HubTime, now: HubTime) -> Bool { last == 0 || isApart(last, now) }

    /// Whether a step of time lies between; a clock that was set back counts as well.
    func isApart(_ earlier: HubTime, _ later: HubTime) -> Bool {
        later.milliseconds(since: earlier).magnitude >= UInt64(interval)
    }

    /// The checkpoint to forget behind: the newest that is old enough by both rules.
    func horizon(among checkpoints: [DatedCheckpoint], now: HubTime) -> DatedCheckpoint? {
        guard let newest = checkpoints.last else { return nil }
        return checkpoints.last {
            $0.position <= newest.position - Int64(steps) && $0.at <= now - time
        }
    }
}

/// A checkpoint, and when it was the newest.
struct DatedCheckpoint: Hashable, Sendable {
    /// Counts up from 1.
    let position: Int64
    let checkpoint: Checkpoint
    let at: HubTime
}
