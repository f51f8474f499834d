/// Why a change cannot be reverted, or written again. Each is a part of a sentence of
/// `revertBlocked` or `resubmitBlocked`.
enum ChangeReason {
    static let tableSuspended = "the table is suspended; see the replica's status"
    static let localConstraint = "a local constraint forbids it"

    // Reverting.
    static let uniqueValue = "has a unique value that the row had"
    static let reference = "refers to it, or is the deleted row that it refers to"
    static let localReference =
        "a row of a local table that is not synced refers to it; delete that row first"
    static let triggersLost =
        "its triggers were lost for a while; sync once, and list the changes again"

    // Writing again.
    static let onlyEditsKnown = "the row is gone, and only what was edited is known"
    static func noColumn(_ name: String) -> String { "it has no column \(name)" }
    static func fixedColumn(_ name: String) -> String {
        "\(name) is a part of the key, or a generated column"
    }
    static func otherType(_ name: String) -> String { "the value is not of the type of \(name)" }
}
