/// A connection that a ``ConnectionPool`` lends: made closed, opened when it is first needed.
public protocol PooledConnection: AnyObject, SendableMetatype {
    /// Whether it stands, as far as can be seen without asking the server, and is younger than this.
    func isUsable(within lifetime: Duration) -> Bool
    func openIfNeeded() throws
    /// Harmless on one that is closed.
    func close()
    /// Ends the transaction, if there is one.
    func rollback()
}
