/// Why a table cannot be synced, and the SQL that fixes it.
///
/// A reason alone is written as a text.
public struct TableProblem: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// A full sentence, with what would fix it.
    public let reason: String
    /// Statements for the owner to run, in this order; as ``Finding/Repair-swift.enum/sql(_:)``.
    public let repair: [String]

    /// - Parameter repair: Leave it out where no statement fixes the problem.
    public init(_ reason: String, repair: [String] = []) {
        self.reason = reason
        self.repair = repair
    }

    public init(stringLiteral reason: String) { self.init(reason) }
}
