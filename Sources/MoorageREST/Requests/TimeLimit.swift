import MoorageSupport

/// Ends the work of a request that takes too long.
struct TimeLimit: Sendable {
    private let sleep: @Sendable () async throws -> Void

    init(_ duration: Duration, _ clock: some Clock<Duration>) {
        sleep = {
            try await clock.sleep(until: clock.now.advanced(by: duration), tolerance: nil)
        }
    }

    /// Does work, and cancels it at the limit. The hub then interrupts its statement and rolls it
    /// back. Work that comes to its end all the same counts: its rows may be written.
    ///
    /// - Throws: The problem for work that was cancelled at the limit; what the work throws.
    func run<Result: Sendable>(
        orThrow problem: RESTProblem, _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let isOver = Locked(false)
        let task = Task { try await work() }
        let timer = Task { [sleep] in
            // A sleep that was cancelled means that the work is done.
            guard (try? await sleep()) != nil else { return }
            isOver.withLock { $0 = true }
            task.cancel()
        }
        defer { timer.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch is CancellationError where isOver.withLock({ $0 }) {
            throw problem
        }
    }
}
