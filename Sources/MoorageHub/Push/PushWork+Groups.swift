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
                found[group] = (change.index, Refusal.lostConflict(in: change.change.table))
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
            let other = Refusal.groupRefused(
                byChangeOf: batch.changes[culprit.index].table, culprit.refusal.code)
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
        refusal.code == .resurrect ? Refusal.goneWithGroup : refusal
    }
}
