/// Subscriptions.
extension ReplicaError {
    /// - Parameter limit: Bytes.
    static func noScopeName(most limit: Int) -> ReplicaError {
        ReplicaError(
            .subscriptionInvalid,
            """
            The name of a scope has 1 to \(limit) bytes, none of them 0. Nothing changed. Name one \
            of the hub's.
            """, recovery: .changeCall)
    }

    static let impossibleTimeToLive = ReplicaError(
        .subscriptionInvalid,
        """
        A subscription's time to live is more than nothing and at most ten years. Nothing changed. \
        Give a time between them, or none.
        """, recovery: .changeCall)

    static func tooManySubscriptions(most limit: Int) -> ReplicaError {
        ReplicaError(
            .subscriptionInvalid,
            """
            The replica has \(limit) subscriptions already, as many as it may have. Nothing \
            changed. End some that nobody needs.
            """, recovery: .changeCall)
    }
}
