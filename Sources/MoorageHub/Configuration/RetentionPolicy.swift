import MoorageCore

/// How long the hub remembers deletions and batches.
///
/// A replica that was away for longer reads everything from nothing. The horizon is a checkpoint
/// that is older than the retention time. It is also at least ``steps`` checkpoints behind the
/// newest one. So a clock that jumps ahead cannot make the hub forget too much.
public struct RetentionPolicy: Hashable, Sendable {
    /// In milliseconds.
    public let time: Int64
    /// How many checkpoints are recorded within the time.
    public let steps: Int
    /// How long the hub keeps the conflict log, in milliseconds; `nil` keeps it always.
    public let conflicts: Int64?

    /// - Parameters:
    ///   - time: At least a day, unless for tests. Devices keep their acknowledged batches for 90
    ///     days.
    ///   - steps: 1 to 1000.
    ///   - conflicts: How long the hub keeps the conflict log, at least `time`. `nil` keeps it
    ///     always.
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

    /// - Parameter last: When the last purge ended; 0 while a purge is under way.
    func isDue(since last: HubTime, now: HubTime) -> Bool { last == 0 || isApart(last, now) }

    /// Whether the two times are at least one step apart. A clock that was set back counts as well.
    func isApart(_ earlier: HubTime, _ later: HubTime) -> Bool {
        later.milliseconds(since: earlier).magnitude >= UInt64(interval)
    }

    /// The newest checkpoint that is old enough by both rules. The hub forgets what is behind it.
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
