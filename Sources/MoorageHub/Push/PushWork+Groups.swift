import MoorageCore

/// Groups: all changes of a group are applied, or all are refused.
extension PushWork {
    /// What fails each group, by its number: the first change that was not taken.
    func culprits(among changes: [ResolvedChange]) -> [Int: (index: Int, refusal: Refusal)] {
        var found: [Int: (index: Int, refusal: Refusal)] = [:]
        for change in changes {
            guard let group = change.change.group, found[group] == nil else { continue }
            switch outcomes[change.index]?.kind {
            case .refused(let refusal)?: found[group] = (change.index, refusal)
            case .overruled?:
                let reason =
                    "A change of \(change.change.table) lost a conflict, and with it its group."
                found[group] = (change.index, Refusal(code: .group, message: reason))
            case .applied?, .merged?, nil: break
            }
        }
        return found
    }

    /// Refuses every change of the groups that have a culprit.
    ///
    /// - Returns: The changes that are left.
    mutating func refuseGroups(
        _ culprits: [Int: (index: Int, refusal: Refusal)], of changes: [ResolvedChange]
    ) -> [ResolvedChange] {
        var left: [ResolvedChange] = []
        for change in changes {
            guard let group = change.change.group, let culprit = culprits[group] else {
                left.append(change)
                continue
            }
            let cause = batch.changes[culprit.index].table
            let other = Refusal(
                code: .group,
                message: """
                    A change of \(cause) in the same group was not taken \
                    (\(culprit.refusal.code.rawValue)), and so none of the group is.
                    """)
            refuse(
                change.change, at: change.index,
                change.index == culprit.index ? whole(culprit.refusal) : other,
                editedAt: change.editedAt)
        }
        return left
    }

    /// Replaces `resurrect` with `gone`. With `resurrect` the device would send the whole row
    /// again, without its group.
    private func whole(_ refusal: Refusal) -> Refusal {
        guard refusal.code == .resurrect else { return refusal }
        return Refusal(
            code: .gone, message: "The row was deleted at the hub, and its group with it.")
    }
}
