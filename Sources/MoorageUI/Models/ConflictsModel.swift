public import Moorage

/// The conflicts of a replica, and what a person decides about them.
///
/// ```swift
/// let model = ConflictsModel(replica)
/// for conflict in model.list.entries { show(conflict.fields) }
/// await model.keepMine(conflict)
/// ```
///
/// Each decision is written to the file at once and goes up with the next sync. A decision that
/// cannot be written is in `list.failure`, and its conflict stays listed.
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

    /// Writes this device's values again, on top of the present row.
    public func keepMine(_ conflict: OverruledChange) async {
        await list.decide(conflict) { [replica] in try await replica?.reapply($0) }
    }

    /// Writes the values that the change lost against. If they are in the row already, no row
    /// changes.
    public func keepTheirs(_ conflict: OverruledChange) async {
        await list.decide(conflict) { [replica] in
            if $0.result == $0.theirs {
                try await replica?.dismiss($0)
            } else {
                try await replica?.resolve($0, with: $0.theirs)
            }
        }
    }

    /// Leaves the row as it is.
    public func keepResult(_ conflict: OverruledChange) async {
        await list.decide(conflict) { [replica] in try await replica?.dismiss($0) }
    }

    /// Writes what a person entered. Nothing happens while a text is no value of its column.
    public func save(_ edit: ConflictEdit) async {
        guard let values = edit.values else { return }
        await list.decide(edit.conflict) { [replica] in
            try await replica?.resolve($0, with: values)
        }
    }
}
