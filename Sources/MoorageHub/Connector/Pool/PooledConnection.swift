/// A connection that a ``ConnectionPool`` lends. It is made closed, and opened when it is first
/// needed.
public protocol PooledConnection: AnyObject, SendableMetatype {
    /// Whether it works, as far as is known without asking the server, and is younger than this.
    func isUsable(within lifetime: Duration) -> Bool
    func openIfNeeded() throws
    /// Does nothing to a connection that is closed.
    func close()
    /// Ends the transaction, if there is one.
    func rollback()
}
