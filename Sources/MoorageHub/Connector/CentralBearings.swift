public import MoorageCore

/// What an exchange asks a database before anything else.
public struct CentralBearings: Hashable, Sendable {
    /// As ``CentralConnection/now()``.
    public let now: Int64
    /// As ``CentralConnection/identity()``; empty where nothing was attached.
    public let identity: String
    /// As ``CentralConnection/schemaStamp()``.
    public let schemaStamp: String
    /// What Moorage's own tables say of the hub, by name; `nil` where there are none.
    public let facts: [String: String]?
    /// As ``CentralConnection/currentMark()`` would have said then; `nil` where that is a question of its own.
    public let mark: Mark?

    public init(
        now: Int64, identity: String, schemaStamp: String, facts: [String: String]?,
        mark: Mark? = nil
    ) {
        self.now = now
        self.identity = identity
        self.schemaStamp = schemaStamp
        self.facts = facts
        self.mark = mark
    }
}

/// A snapshot that was just opened.
public struct SnapshotBearings: Hashable, Sendable {
    /// As ``CentralConnection/changeSign()``.
    public let sign: String
    /// As ``CentralConnection/currentMark()``.
    public let mark: Mark
    /// What lies within this mark is forgotten.
    public let horizon: Mark?

    public init(sign: String, mark: Mark, horizon: Mark?) {
        self.sign = sign
        self.mark = mark
        self.horizon = horizon
    }
}

/// One question after the other, for databases in the same process.
extension CentralConnection {
    public func bearings() throws -> CentralBearings {
        guard try hasMetadata() else {
            return CentralBearings(
                now: try now(), identity: "", schemaStamp: try schemaStamp(), facts: nil)
        }
        return CentralBearings(
            now: try now(), identity: try identity(), schemaStamp: try schemaStamp(),
            facts: try Metadata(connection: self).values())
    }

    public func openSnapshot() throws -> SnapshotBearings {
        try begin(.snapshot)
        do {
            return SnapshotBearings(
                sign: try changeSign(), mark: try currentMark(),
                horizon: try Metadata(connection: self).value("horizon").map { Mark($0) })
        } catch {
            rollback()
            throw error
        }
    }
}
