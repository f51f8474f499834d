import MoorageCore

/// Why a change is on the list of refused changes.
extension Refusal {
    /// What a server's refusal means for one change.
    init(_ answer: RESTAnswer) {
        let code: Code =
            switch answer.status {
            case 403: .permission
            case 405: .readOnly
            case 409, 412: .unique
            case 413: .tooLarge
            default: .check
            }
        // People read it on a screen, so the server's words are all of it.
        self.init(
            code: code,
            message: answer.reason ?? "The server refused with status \(answer.status).")
    }

    static let parentMissing = Refusal(
        code: .foreignKey, message: "The server does not have the row that this one is part of.")

    static let referenceMissing = Refusal(
        code: .foreignKey,
        message: """
            The row refers to a new row that the server does not have: it was refused, or refers \
            to this one.
            """)

    static let parentChanged = Refusal(
        code: .type,
        message: """
            The row is part of another row, and cannot move to another one. Delete it, and insert \
            it again.
            """)

    static let groupUnsupported = Refusal(
        code: .group,
        message: """
            The server takes one row at a time, so it cannot take a group of rows as a whole. \
            Make the changes without a group.
            """)

    static func onlyFetched(_ table: String) -> Refusal {
        Refusal(
            code: .readOnly,
            message: "The rows of \(table) come from the server alone. Do not change them here.")
    }

    static let groupBroken = Refusal(
        code: .group, message: "Another change of the same group was not taken.")

    static let idUnusable = Refusal(
        code: .type, message: "The row's key cannot be part of an address. Give it another key.")

    static func unreadable(_ fault: RowFault) -> Refusal {
        Refusal(code: .failed, message: "The row and its JSON do not fit. \(fault.reason)")
    }

    static func ruleFailed(_ name: String) -> Refusal {
        Refusal(code: .rule, message: "The app's rule \(name) failed.")
    }
}
