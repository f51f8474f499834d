public import MoorageCore

/// What an exchange asks a database before anything else.
public struct DatabaseState: Hashable, Sendable {
    /// As ``CentralMetadata/now()``.
    public let now: HubTime
    /// As ``CentralMetadata/identity()``; empty where nothing was attached.
    public let identity: String
    /// As ``CentralSchema/schemaStamp()``.
    public let schemaStamp: String
    /// What Moorage's own tables say about the hub, by name; `nil` where there are no such tables.
    public let facts: [String: String]?
    /// What ``CentralNumbering/currentCheckpoint()`` would have returned then; `nil` where that
    /// takes a question of its own.
    public let checkpoint: Checkpoint?

    /// - Parameters:
    ///   - identity: Empty where nothing was attached.
    ///   - facts: `nil` where Moorage's own tables do not exist.
    ///   - checkpoint: Leave it out where it takes a question of its own.
    public init(
        now: HubTime, identity: String, schemaStamp: String, facts: [String: String]?,
        checkpoint: Checkpoint? = nil
    ) {
        self.now = now
        self.identity = identity
        self.schemaStamp = schemaStamp
        self.facts = facts
        self.checkpoint = checkpoint
    }
}

/// A snapshot that was just opened.
public struct SnapshotState: Hashable, Sendable {
    /// As ``CentralNumbering/changeToken()``.
    public let changeToken: String
    /// As ``CentralNumbering/currentCheckpoint()``.
    public let checkpoint: Checkpoint
    /// What lies within this checkpoint is forgotten.
    public let horizon: Checkpoint?

    /// - Parameter horizon: `nil` while nothing was forgotten.
    public init(changeToken: String, checkpoint: Checkpoint, horizon: Checkpoint?) {
        self.changeToken = changeToken
        self.checkpoint = checkpoint
        self.horizon = horizon
    }
}
