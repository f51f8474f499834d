import MoorageCore

/// Asks one question after the other, for databases in the same process.
extension CentralConnection {
    public func databaseState() throws -> DatabaseState {
        guard try hasMetadata() else {
            return DatabaseState(
                now: try now(), identity: "", schemaStamp: try schemaStamp(), facts: nil)
        }
        return DatabaseState(
            now: try now(), identity: try identity(), schemaStamp: try schemaStamp(),
            facts: try Metadata(connection: self).values())
    }

    public func openSnapshot() throws -> SnapshotState {
        try begin(.snapshot)
        do {
            return SnapshotState(
                changeToken: try changeToken(), checkpoint: try currentCheckpoint(),
                horizon: try Metadata(connection: self).value("horizon").map { Checkpoint($0) })
        } catch {
            rollback()
            throw error
        }
    }
}
