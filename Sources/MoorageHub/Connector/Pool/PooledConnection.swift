/// A connection that a ``ConnectionPool`` lends. It is made closed, and opened when it is first
/// needed.
public protocol PooledConnection: AnyObject, SendableMetatype {
    /// Whether it works, as far as is known without asking the server, and is younger than this.
    func isUsable(within lifetime: Duration) -> Bool
    /// Opens the connection and sets what its session needs; does nothing if it is open. The pool
    /// calls it before each piece of work.
    ///
    /// - Throws: ``CentralError``, with kind `unavailable` where the server cannot be reached.
    func openIfNeeded() throws
    /// Does nothing to a connection that is closed.
    func close()
    /// Ends the transaction, if there is one.
    func rollback()
}
