public import MoorageCore

/// The connector's clock: which changes are beyond a checkpoint (docs/reference/hub.md, Versions
/// and checkpoints).
public protocol CentralNumbering: AnyObject {
    /// Numbers what is committed and has no number yet, in a transaction of its own. Databases
    /// whose clock is a snapshot have nothing to do.
    func numberChanges() throws
    /// Derives again, in a transaction of its own, the scopes of rows whose last writer could not
    /// see what others committed meanwhile. Databases with one writer at a time have nothing to do.
    func resolveMoves() throws
    /// A cheap text that differs after any commit of any program. In a snapshot it is the text of
    /// the state that the snapshot shows. Once it has changed, no earlier text returns. It may also
    /// change where nothing was committed.
    func changeToken() throws -> String
    /// Begins a snapshot and returns what it shows. If it fails, no snapshot is open.
    ///
    /// - Throws: As ``currentCheckpoint()``.
    func openSnapshot() throws -> SnapshotState
    /// The point that the open snapshot shows.
    ///
    /// - Throws: ``CentralError`` of kind `conflict` while the snapshot shows a row whose scopes
    ///   ``resolveMoves()`` has yet to derive.
    func currentCheckpoint() throws -> Checkpoint
    /// Whether a checkpoint belongs to this history.
    ///
    /// - Throws: ``CentralError`` of kind `invalidCheckpoint` for a text that is no checkpoint.
    func isKnown(_ checkpoint: Checkpoint) throws -> Bool
    /// Whether everything that `horizon` shows is within `checkpoint` too. If so, a replica that
    /// has read up to `checkpoint` needs nothing that was forgotten behind the horizon. It may
    /// return `false` where it cannot tell.
    ///
    /// - Throws: ``CentralError`` of kind `invalidCheckpoint` for a text that is no checkpoint.
    func covers(_ checkpoint: Checkpoint, _ horizon: Checkpoint) throws -> Bool
    /// Deletes what distinguishes checkpoints older than the horizon from those of another history.
    /// The horizon itself stays known.
    func forgetCheckpoints(before horizon: Checkpoint) throws
}
