/// When a log is to be looked at again; forgotten with the process.
struct CompactionSchedule {
    /// The log's last entry when it was compacted.
    let last: Int64
    /// The one at which it is long again.
    let due: Int64
}
