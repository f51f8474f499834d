/// The hub's word for the scopes and rows that a cursor names. A cursor comes back from outside, and its
/// user is told which rows he may hold and has to give back: from a cursor made up, or put together from
/// several, he would hear of rows that came into a scope when it was not his any more.
public struct CursorSignature: Hashable, Sendable {
    /// The state of the hub in which the page was read: the replica holds nothing of a later one.
    public let readAt: Checkpoint
    /// Scopes that are being taken back, each with the newest state of which the replica may hold rows
    /// of it.
    public let lost: [Scope: Checkpoint]
    /// 32 hex digits, which only the hub can make.
    public let code: String
    /// The same for the scan that is under way: a device that breaks it off leaves it behind.
    public let scanCode: String?

    public init(
        readAt: Checkpoint, lost: [Scope: Checkpoint] = [:], code: String, scanCode: String? = nil
    ) {
        self.readAt = readAt
        self.lost = lost
        self.code = code
        self.scanCode = scanCode
    }

    /// The newest state of which the replica may hold rows of a scope.
    public func newestCheckpoint(of scope: Scope) -> Checkpoint { lost[scope] ?? readAt }
}
