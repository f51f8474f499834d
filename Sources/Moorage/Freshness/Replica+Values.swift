public import GRDB

/// Queries that know how fresh their rows are.
extension Replica {
    /// The rows of a request now, then the rows after an exchange with the hub, then each change.
    ///
    /// ```swift
    /// let orders = Order.filter { $0.status == "open" }
    /// for try await open in replica.values(orders, within: .seconds(3)) {
    ///     show(open.value, isFresh: open.freshness)
    /// }
    /// ```
    ///
    /// - The first element comes from the file at once, without the network. It is ``Freshness/local``
    ///   unless an earlier exchange of this process caught up, or failed.
    /// - Then the hub is asked, once for each iteration, as ``catchUp(within:)`` does. Its rows come
    ///   as ``Freshness/fresh(asOf:)``, also if they are the same. If it fails, or at the deadline,
    ///   the rows come as ``Freshness/stale(_:)`` with the reason.
    /// - From then on an element comes with each commit that changes the rows, of this process or,
    ///   while the replica runs, of another. One comes when the freshness changes, too. A write of
    ///   the app is shown at once, as ``Freshness/local`` until the hub has it.
    /// - A slow listener gets the newest element. A file that is locked for a moment is read again.
    ///
    /// - Parameters:
    ///   - request: What to read. It has to be the same rows at each call.
    ///   - limit: How long the hub is asked.
    /// - Returns: A sequence that does not end. It throws what reading throws. Cancelling its task
    ///   ends it, and the question to the hub.
    public nonisolated func values<Request: FetchRequest & Sendable>(
        _ request: Request, within limit: Duration
    ) -> FreshValues<[Request.RowDecoder]>
    where Request.RowDecoder: FetchableRecord & Sendable {
        FreshValues(self, within: limit, regions: { [request] }) {
            try Request.RowDecoder.fetchAll($0, request)
        }
    }

    /// The same for anything that can be read, such as a count or several requests at once.
    ///
    /// - Parameters:
    ///   - tables: The tables that the closure reads, by their local names.
    ///   - limit: How long the hub is asked.
    ///   - fetch: Reads the value.
    /// - Returns: A sequence that does not end, as for a request.
    public nonisolated func values<Value: Sendable>(
        of tables: [String], within limit: Duration,
        fetch: @escaping @Sendable (Database) throws -> Value
    ) -> FreshValues<Value> {
        FreshValues(self, within: limit, regions: { tables.map { Table($0) } }, fetch: fetch)
    }
}
