/// When to check a log for compaction again; forgotten with the process.
struct CompactionSchedule {
    /// The log's last entry when it was compacted.
    let last: Int64
    /// The entry at which it is long again.
    let due: Int64
}
