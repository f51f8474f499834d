/// The hub's signature on the scopes and rows that a cursor names (decision 0027). A cursor comes
/// back from outside, and from it the hub decides which rows the replica may keep and which to
/// revoke. An invented cursor, or one combined from several, would reveal rows that came into a
/// scope after the user lost it.
package struct CursorSignature: Hashable, Sendable {
    /// The checkpoint at which the page was read. The replica has nothing from a later one.
    package let readAt: Checkpoint
    /// Scopes that are being revoked. Each has the newest checkpoint from which the replica may
    /// have rows of the scope.
    package let lost: [Scope: Checkpoint]
    /// 32 hex digits, which only the hub can make.
    package let code: String
    /// A code like `code` for the scan that is under way. It stays when a device breaks off the
    /// scan, and the hub then ignores it.
    package let scanCode: String?

    package init(
        readAt: Checkpoint, lost: [Scope: Checkpoint] = [:], code: String, scanCode: String? = nil
    ) {
        self.readAt = readAt
        self.lost = lost
        self.code = code
        self.scanCode = scanCode
    }

    /// The newest checkpoint from which the replica may have rows of a scope.
    package func newestCheckpoint(of scope: Scope) -> Checkpoint { lost[scope] ?? readAt }
}
