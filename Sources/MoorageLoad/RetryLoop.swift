#if Server
    import MoorageWire

    /// Tries again what may go through later, until a time.
    struct RetryLoop: Sendable {
        let end: ContinuousClock.Instant

        init(_ duration: Duration) { end = .now + duration }

        /// - Throws: What the last try threw.
        func run(
            isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void
        ) async throws {
            while true {
                do {
                    return try await work()
                } catch let error as HubError where error.isTransient {
                    let wait = min(error.retryAfter ?? .milliseconds(500), .seconds(5))
                    guard .now + wait < end else { throw error }
                    try await Task.sleep(for: wait)
                }
            }
        }
    }
#endif
