public import MoorageCore

/// What a device says of itself, so that the owner sees how it is. It has no content of rows.
public struct DeviceReport: Hashable, Sendable {
    /// What its owner calls it, such as `Ada's phone`.
    public var name: String?
    /// The version of the app.
    public var appVersion: String?
    /// The version of this library.
    public var libraryVersion: String?
    /// The operating system and its version, such as `iOS 19.1`.
    public var platform: String?
    /// The version of the schema that the app was built for.
    public var schemaVersion: String?
    /// Changes that the device still had to send after the batch of the same request.
    public var pendingCount: Int
    /// Changes on its list of refused ones.
    public var refusedCount: Int
    /// Changes on its list of those that lost a conflict.
    public var overruledCount: Int
    /// When the oldest change that is still to send was made, by the hub's clock; `nil` for none.
    public var oldestPendingAt: HubTime?
    /// Tables that the device has suspended, at most 100 of them.
    public var suspendedTables: [String]
    /// The size of the device's file in bytes.
    public var fileSize: Int64
    /// The code of the error that its last try to sync ended with; `nil` where it succeeded.
    public var lastErrorCode: String?
    /// By how many milliseconds the device's clock is ahead of the hub's; `nil` before the first
    /// answer.
    public var clockOffset: Int64?

    /// A report with nothing to send and nothing wrong.
    public init(
        name: String? = nil, appVersion: String? = nil, libraryVersion: String? = nil,
        platform: String? = nil, schemaVersion: String? = nil, pendingCount: Int = 0,
        refusedCount: Int = 0, overruledCount: Int = 0, oldestPendingAt: HubTime? = nil,
        suspendedTables: [String] = [], fileSize: Int64 = 0, lastErrorCode: String? = nil,
        clockOffset: Int64? = nil
    ) {
        self.name = name
        self.appVersion = appVersion
        self.libraryVersion = libraryVersion
        self.platform = platform
        self.schemaVersion = schemaVersion
        self.pendingCount = pendingCount
        self.refusedCount = refusedCount
        self.overruledCount = overruledCount
        self.oldestPendingAt = oldestPendingAt
        self.suspendedTables = suspendedTables
        self.fileSize = fileSize
        self.lastErrorCode = lastErrorCode
        self.clockOffset = clockOffset
    }

    /// The longest text of a report, in bytes.
    package static let maximumTextBytes = 200
    /// The most tables that a report names.
    package static let maximumTables = 100
}
