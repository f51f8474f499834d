import MoorageCore
import MoorageHub
import MoorageWire

extension JudgedPush {
    /// What its user may not do is refused.
    ///
    /// - Returns: How many changes the user had no right to make.
    func checkRights() throws -> Int {
        var count = 0
        for (change, outcome) in pairs {
            let own = ownRights(change.table)
            if let own, !allows(own, change) {
                count += 1
                guard isRefused(outcome) else {
                    throw violation(change, "was taken, and \(user ?? "nobody") may not do that")
                }
            }
            guard case .refused(let refusal) = outcome.kind, refusal.code == .permission else {
                continue
            }
            let isLimited = own.map { !Self.allowsAll($0) } ?? false
            guard try isLimited || isScoped(change.table) || mayReach(change) else {
                throw violation(change, "was refused for a right, and \(user ?? "nobody") has all")
            }
        }
        return count
    }

    /// A delete may reach rows that its user may not change, or does not see.
    private func mayReach(_ change: Change) throws -> Bool {
        guard case .delete = change.operation else { return false }
        return try centre.tablesBelow(change.table).contains {
            rights[$0] != nil || isScoped($0)
        }
    }

    private func allows(_ own: [TableRights], _ change: Change) -> Bool {
        // A fill that its user may not write is dropped.
        if change.keepingFills(where: { _ in false }).isQuestion { return true }
        return switch change.operation {
        case .refetch: true
        case .insert: own.contains(where: \.insert)
        case .delete: own.contains(where: \.delete)
        case .update(let edits):
            own.contains(where: \.update)
                && edits.filter { $0.isChange && !$0.isFill }.allSatisfy {
                    mayUpdate(columns(change)[$0.column], of: change.table)
                }
        }
    }

    private static func allowsAll(_ own: [TableRights]) -> Bool {
        own.contains(where: \.insert) && own.contains(where: \.update)
            && own.contains(where: \.delete) && own.allSatisfy { $0.columns == nil }
    }

    private func violation(_ change: Change, _ what: String) -> Violation {
        Violation(
            .rights,
            "batch \(batch.number): a change of \(change.table) \(change.key.values.jsonText()) \(what)"
        )
    }
}
