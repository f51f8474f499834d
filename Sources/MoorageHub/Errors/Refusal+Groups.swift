import MoorageCore

/// Changes that the hub refuses because of their group.
extension Refusal {
    /// The row is gone, and the device cannot send the whole row again without its group.
    static let goneWithGroup = Refusal(
        code: .gone,
        message: """
            The row is gone at the hub, so the hub refuses the whole group of this change. \
            Dismiss the change, or insert the row again.
            """)

    /// For the change itself that lost the conflict.
    static func lostConflict(in table: String) -> Refusal {
        Refusal(
            code: .group,
            message: """
                This change of \(table) lost a conflict, so the hub refuses its whole group. \
                Correct the change, and retry the group.
                """)
    }

    /// For the other changes of its group.
    static func groupRefused(byChangeOf table: String, _ code: Code) -> Refusal {
        Refusal(
            code: .group,
            message: """
                The hub refused a change of \(table) in the same group (\(code.rawValue)), and so \
                the whole group. Correct that change, and retry the group.
                """)
    }
}
