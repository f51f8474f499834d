public import MoorageCore

/// Something that happened at a hub, and that others may want to know. It has no values of rows.
public struct HubNotice: Hashable, Sendable {
    /// What happened.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The hub has something for a replica that is away: rows, or an order.
        case news
        /// The hub refused a change.
        case refused
        /// Two changes met, and a rule decided.
        case conflict
    }

    /// Names the notice. One that is sent again has the same id.
    public let id: String
    /// What happened.
    public let kind: Kind
    /// The id of the replica that has news, or whose change it was.
    public let replica: String
    /// The replica's user; `nil` without one.
    public let user: String?
    /// The table of the row; `nil` for news.
    public let table: String?
    /// The code of a refusal, or the name of the rule that decided a conflict; `nil` for news.
    public let reason: String?
    /// When it happened, by the central database's clock; `nil` for news.
    public let time: HubTime?

    package init(
        id: String, kind: Kind, replica: String, user: String? = nil, table: String? = nil,
        reason: String? = nil, time: HubTime? = nil
    ) {
        self.id = id
        self.kind = kind
        self.replica = replica
        self.user = user
        self.table = table
        self.reason = reason
        self.time = time
    }
}
