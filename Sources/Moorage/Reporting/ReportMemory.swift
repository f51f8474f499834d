import MoorageCore

/// What a report says of a replica, by the device's own clock. A replica reports again when it has
/// changed.
struct ReportedState: Hashable, Sendable {
    /// Under another id the hub has no report.
    let replica: String
    let device: DeviceDescription
    /// What the request asks for. The hub remembers it with the report.
    let tables: [TableColumns]
    let pendingCount: Int
    let refusedCount: Int
    let overruledCount: Int
    /// `nil` if nothing is pending, and until the hub's clock is known.
    let oldestPendingAt: DeviceTime?
    let suspendedTables: [String]
    let lastErrorCode: String?
}

/// What a replica remembers of its reports; forgotten with the process.
struct ReportMemory: Sendable {
    /// What the last report said that a hub has welcomed.
    var welcomed: ReportedState?
    /// By how many milliseconds the device's clock is ahead of the hub's; `nil` before the first
    /// answer.
    var clockOffset: Int64?
    /// The code of the error that the last sync ended with; `nil` where it succeeded.
    var lastErrorCode: String?
}
