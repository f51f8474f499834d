extension PoolRefusal {
    static func timedOut(_ patience: Duration) -> PoolRefusal {
        PoolRefusal(
            code: .timedOut,
            message: """
                No connection to the central database became free within \
                \(patience.components.seconds) seconds.
                """,
            advice: """
                Try again later. If it happens often, allow more connections (maximumConnections), \
                or find the statements that take long.
                """)
    }

    static func tooManyWaiting(_ limit: Int) -> PoolRefusal {
        PoolRefusal(
            code: .tooManyWaiting,
            message:
                "\(limit) pieces of work already wait for a connection to the central database.",
            advice: """
                Try again later. If it happens often, allow more connections (maximumConnections), \
                or fewer exchanges at once.
                """)
    }

    static let closed = PoolRefusal(
        code: .closed, message: "The hub closed its connections to the central database.",
        advice: "Start the hub again.")
}
