/// The hub's word for the scopes and rows that a cursor names. A cursor comes back from outside, and its
/// user is told which rows he may hold and has to give back: from a cursor made up, or put together from
/// several, he would hear of rows that came into a scope when it was not his any more.
public struct CursorSeal: Hashable, Sendable {
    /// The state of the hub in which the page was read: the replica holds nothing of a later one.
    public let state: Mark
    /// Scopes that are being taken back, each with the newest state of which the replica may hold rows
    /// of it.
    public let lost: [Scope: Mark]
    /// 32 hex digits, which only the hub can make.
    public let code: String
    /// The same for the walk that is under way: a device that breaks it off leaves it behind.
    public let walkCode: String?

    public init(
        state: Mark, lost: [Scope: Mark] = [:], code: String, walkCode: String? = nil
    ) {
        self.state = state
        self.lost = lost
        self.code = code
        self.walkCode = walkCode
    }

    /// The newest state of which the replica may hold rows of a scope.
    public func newestState(of scope: Scope) -> Mark { lost[scope] ?? state }
}
