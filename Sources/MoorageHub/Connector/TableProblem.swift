/// Why a table cannot be synced, and the SQL that mends it.
///
/// A reason alone is written as a text.
public struct TableProblem: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// A full sentence, with what would mend it.
    public let reason: String
    /// Statements for the owner to run, in this order; as ``Finding/Mend-swift.enum/sql(_:)``.
    public let mend: [String]

    public init(_ reason: String, mend: [String] = []) {
        self.reason = reason
        self.mend = mend
    }

    public init(stringLiteral reason: String) { self.init(reason) }
}
