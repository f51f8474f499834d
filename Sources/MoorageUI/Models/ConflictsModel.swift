public import Moorage

/// The conflicts of a replica, and what a person decides about them.
///
/// The list is read in the background: `list.isLoaded` says when it is here. Each decision is
/// written to the file at once and goes up with the next sync. A decision that cannot be written is
/// in `list.failure`, and its conflict stays listed.
@MainActor
public final class ConflictsModel {
    /// The conflicts, oldest first.
    public let list: ReviewModel<OverruledChange>
    private let replica: Replica?

    /// Follows a replica's conflicts, 200 at most.
    public init(_ replica: Replica) {
        self.replica = replica
        list = ReviewModel(replica.overruledChanges)
    }

    /// Conflicts of no replica, for previews and tests of an app's screens. A decision only takes
    /// one off the list.
    public init(conflicts: [OverruledChange]) {
        replica = nil
        list = ReviewModel(entries: conflicts)
    }

    /// Whether "keep mine" and an edit make sense. The rule `keepBoth` has made this device's row a
    /// row of its own, and the conflict names the other one.
    public func canKeepMine(_ conflict: OverruledChange) -> Bool { conflict.rule != "keepBoth" }

    /// Writes this device's values again, on top of the present row.
    public func keepMine(_ conflict: OverruledChange) async {
        guard canKeepMine(conflict) else { return }
        await list.decide(conflict) { [replica] in try await replica?.reapply($0) }
    }

    /// Writes the other side's values where the merge gave the row others.
    public func keepTheirs(_ conflict: OverruledChange) async {
        await list.decide(conflict) { [replica] in try await replica?.keepTheirs($0) }
    }

    /// Leaves the row as it is.
    public func keepResult(_ conflict: OverruledChange) async {
        await list.decide(conflict) { [replica] in try await replica?.dismiss($0) }
    }

    /// Writes what a person entered.
    ///
    /// - Returns: Whether it is written: not while a text is no value of its column.
    @discardableResult
    public func save(_ edit: ConflictEdit) async -> Bool {
        guard canKeepMine(edit.conflict), let values = edit.values else { return false }
        return await list.decide(edit.conflict) { [replica] in
            try await replica?.resolve($0, with: values)
        }
    }
}
