public import Moorage

/// The refused changes of a replica, and what a person decides about them.
@MainActor
public final class RefusalsModel {
    /// The refused changes, oldest first.
    public let list: ReviewModel<RefusedChange>
    private let replica: Replica?

    /// Follows a replica's refused changes, 200 at most.
    public init(_ replica: Replica) {
        self.replica = replica
        list = ReviewModel(replica.refusedChanges)
    }

    /// Refused changes of no replica, for previews and tests of an app's screens. A decision only
    /// takes one off the list.
    public init(refused: [RefusedChange]) {
        replica = nil
        list = ReviewModel(entries: refused)
    }

    /// Whether the change can be written again. One that waits in the log is sent by itself once its
    /// row is fixed.
    public func canRetry(_ refused: RefusedChange) -> Bool { !refused.isBlocked }

    /// Writes the change again, with all that were refused as one group with it.
    public func retry(_ refused: RefusedChange) async {
        await list.decide(refused) { [replica] in try await replica?.retry($0) }
    }

    /// Gives the change up. No row changes.
    public func dismiss(_ refused: RefusedChange) async {
        await list.decide(refused) { [replica] in try await replica?.dismiss($0) }
    }
}
