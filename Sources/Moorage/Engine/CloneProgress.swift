/// How far a first copy is.
public struct CloneProgress: Hashable, Sendable {
    /// Rows that are written and committed, those of a run that was broken off among them.
    public let rows: Int
    /// How many rows there are in all, about; `nil` where the hub has not said.
    public let expectedRows: Int?
    /// Bytes of the hub's answers that have come in this run, as they travelled: compressed where they were,
    /// without headers and TLS. `nil` where the hub is in this process.
    public let bytes: Int64?

    public init(rows: Int, expectedRows: Int?, bytes: Int64?) {
        self.rows = rows
        self.expectedRows = expectedRows
        self.bytes = bytes
    }
}
