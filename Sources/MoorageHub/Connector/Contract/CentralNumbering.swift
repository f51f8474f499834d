public import MoorageCore

/// The connector's clock: which changes lie beyond a checkpoint (docs/design.md, 5.2).
public protocol CentralNumbering: AnyObject {
    /// Numbers what is committed and has no number yet, in a transaction of its own. Databases
    /// whose clock is a snapshot have nothing to do.
    func numberChanges() throws
    /// Derives again, in a transaction of its own, the scopes of rows whose last writer could not see what
    /// others had committed meanwhile. Databases with one writer at a time have nothing to do.
    func resolveMoves() throws
    /// A cheap text that differs after any commit, by whichever program; in a snapshot, the text of
    /// the state that it shows. No text comes again after another one. It may also change where
    /// nothing was committed.
    func changeToken() throws -> String
    /// Begins a snapshot and says what it shows; where that fails, none is open.
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
    /// Whether everything that `horizon` shows is within `checkpoint` too: a replica that has read up to
    /// `checkpoint` needs nothing that was forgotten behind the horizon. It may say no where it cannot
    /// tell.
    ///
    /// - Throws: ``CentralError`` of kind `invalidCheckpoint` for a text that is no checkpoint.
    func covers(_ checkpoint: Checkpoint, _ horizon: Checkpoint) throws -> Bool
    /// Forgets what told checkpoints older than the horizon from checkpoints of another history; the horizon
    /// itself stays known.
    func forgetCheckpoints(before horizon: Checkpoint) throws
}
