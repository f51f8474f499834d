public import Observation

/// A replica's status for screens: it changes on the main actor, and SwiftUI observes it.
///
/// ```swift
/// let state = ReplicaState(replica)
/// Text(state.headline == .upToDate ? "Up to date" : "Syncing …")
/// ```
///
/// It follows the replica until it is released. It does not run it: see ``Replica/start()``.
@MainActor @Observable
public final class ReplicaState {
    /// The newest status.
    public private(set) var status: ReplicaStatus
    @ObservationIgnored private var following: Task<Void, Never>?

    /// Follows a replica.
    public init(_ replica: Replica) {
        status = replica.status
        // The stream alone: a screen must not keep a replica that its app gave up.
        let statuses = replica.statuses()
        following = Task { [weak self] in
            for await status in statuses {
                guard let self else { return }
                if self.status != status { self.status = status }
            }
        }
    }

    /// A state that follows nothing, for previews and tests of an app's screens.
    public init(status: ReplicaStatus) { self.status = status }

    deinit { following?.cancel() }

    /// What a person wants to know first.
    public var headline: ReplicaHeadline { status.headline }
}
