/// What a change lost to, for the replica's own list of conflicts. Columns are positions in the
/// batch's table.
package struct Overruling: Hashable, Sendable {
    /// The name of the rule that decided; `nil` when no rule of one table decided.
    package let rule: String?
    /// The central row's values where both sides differed; `nil` when there was no row.
    package let theirs: [StoredValue]?
    /// The values that remain; `nil` when no row remains.
    package let result: [StoredValue]?

    package init(rule: String?, theirs: [StoredValue]?, result: [StoredValue]?) {
        self.rule = rule
        self.theirs = theirs
        self.result = result
    }
}
