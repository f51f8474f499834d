/// A table that this replica does not sync at the moment. Its local changes are kept.
public struct SuspendedReplicaTable: Hashable, Sendable {
    /// The table's name at the hub.
    public let name: String
    /// Why it is suspended, as a code that stays the same in every version: the raw value of a
    /// ``ReplicaError/Code``.
    public let code: String
    /// What prevents syncing, and what fixes it.
    public let reason: String
    /// Local changes of the table that wait until it resumes.
    public var pendingCount: Int

    /// A table that no replica has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - name: The table's name at the hub.
    ///   - code: Why it is suspended.
    ///   - reason: The same in words.
    ///   - pendingCount: Local changes that wait.
    public init(name: String, code: String, reason: String, pendingCount: Int = 0) {
        self.name = name
        self.code = code
        self.reason = reason
        self.pendingCount = pendingCount
    }
}
