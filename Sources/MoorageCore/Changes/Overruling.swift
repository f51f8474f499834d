/// What a change lost to, for the replica's own list of conflicts. Columns are positions in the
/// batch's table.
public struct Overruling: Hashable, Sendable {
    /// The rule that decided it, by name; `nil` when it was no rule of one table.
    public let rule: String?
    /// What the central row held where both sides differed; `nil` when there was no row.
    public let theirs: [StoredValue]?
    /// What stands there; `nil` when no row does.
    public let result: [StoredValue]?

    public init(rule: String?, theirs: [StoredValue]?, result: [StoredValue]?) {
        self.rule = rule
        self.theirs = theirs
        self.result = result
    }
}
