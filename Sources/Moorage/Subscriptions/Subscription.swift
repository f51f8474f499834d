public import Foundation
public import MoorageCore

/// A part of the data that the app asked for.
public struct Subscription: Hashable, Sendable, Identifiable {
    /// How far its rows are.
    public enum State: Hashable, Sendable {
        /// The hub was not asked yet, or not all rows have arrived.
        case loading
        /// All rows that the hub had at the last exchange are here.
        case complete
        /// The user may not see the scope, or it does not exist. Which of the two, the hub does not
        /// tell. The replica goes on asking for it.
        case unavailable
    }

    /// The scope's name at the hub, such as `project/42`.
    public let scope: String
    /// When its rows arrive, compared with others.
    public let priority: ScopePriority
    /// For how long the app asked for it; `nil` until it is ended.
    public let timeToLive: Duration?
    /// When it ends by itself, by the device's clock; `nil` for never.
    public let endsAt: Date?
    /// How far its rows are.
    public let state: State

    /// The scope's name: there is one subscription for each scope.
    public var id: String { scope }

    /// A subscription that no file has, for previews and tests of an app's screens.
    ///
    /// - Parameters:
    ///   - scope: The scope's name.
    ///   - priority: When its rows arrive.
    ///   - timeToLive: For how long it was asked for; `nil` until it is ended.
    ///   - endsAt: When it ends by itself; `nil` for never.
    ///   - state: How far its rows are.
    public init(
        scope: String, priority: ScopePriority = .normal, timeToLive: Duration? = nil,
        endsAt: Date? = nil, state: State = .complete
    ) {
        self.scope = scope
        self.priority = priority
        self.timeToLive = timeToLive
        self.endsAt = endsAt
        self.state = state
    }
}
