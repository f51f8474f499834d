/// How far a first copy is.
public struct CloneProgress: Hashable, Sendable {
    /// Rows that are written and committed, including those of an interrupted run.
    public let rows: Int
    /// About how many rows there are in all; `nil` if the hub has not said.
    public let expectedRows: Int?
    /// Bytes of the hub's answers in this run, as they arrived: compressed if the hub compressed
    /// them, without headers and TLS. `nil` for a hub in this process.
    public let bytes: Int64?

    /// Progress that no clone made, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - rows: Rows that are written and committed.
    ///   - expectedRows: About how many rows there are in all; `nil` if nobody knows.
    ///   - bytes: Bytes of the hub's answers; `nil` for a hub in this process.
    public init(rows: Int, expectedRows: Int?, bytes: Int64?) {
        self.rows = rows
        self.expectedRows = expectedRows
        self.bytes = bytes
    }
}
