import MoorageCore
import MoorageSupport
import MoorageWire

/// What users may write in the tables of one schema. Each answer is made once, because most
/// exchanges only compare its version.
final class RightsAnswers: Sendable {
    /// By the roles that distinguish users.
    private let known = Locked<[Set<String>: RightsAnswer]>([:])
    /// Roles come with tokens, and there are many sets of them.
    private static let maximumCount = 1_000

    func answer(of user: UserRights, on tables: [AttachedTable]) -> RightsAnswer {
        if let answer = known.withLock({ $0[user.roles] }) { return answer }
        let answer = user.answer(on: tables)
        known.withLock { known in
            if known.count >= Self.maximumCount { known = [:] }
            known[user.roles] = answer
        }
        return answer
    }
}

extension AttachedSchema {
    /// What the user may write; `nil` for a replica that knows it by its version.
    func rights(of user: UserRights, unlessKnownAs version: String?) -> RightsAnswer? {
        let answer = rightsAnswers.answer(of: user, on: tables)
        return version?.hasSameBytes(as: answer.version) == true ? nil : answer
    }
}
