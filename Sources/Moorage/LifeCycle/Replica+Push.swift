import MoorageSupport

/// Sending in the background, where time and data are short.
extension Replica {
    /// Sends what is pending, and ends as soon as the hub has answered it. Without pending changes
    /// it does not use the network.
    ///
    /// It tries again after failures, until its task is cancelled.
    ///
    /// - Throws: `notCaughtUp` if changes remain that cannot be sent now, such as those of an
    ///   unfinished group. Other errors as ``catchUp(within:)``.
    func push() async throws {
        var pacing = RetryPacing(options)
        // The app may commit while a batch is under way, but not without end.
        var pushes = 0
        while try await hasUnanswered() {
            if pushes == Self.maximumPushes { throw ReplicaError.changesLeft }
            do {
                try await pushOnce()
                pushes += 1
            } catch let error as ReplicaError {
                if error.needsApp || error.needsUpdate { throw error }
                var generator = random.generator
                pacing.failed(error, at: clock.time, using: &generator)
                try await clock.sleep(for: pacing.left(at: clock.time))
            }
        }
    }

    private static let maximumPushes = 3

    private func hasUnanswered() async throws -> Bool {
        try await reading { try $1.hasUnanswered($0) }
    }

    /// A sync that is given up when nothing waits for an answer any more. What it has applied until
    /// then stays, and the next one goes on from there.
    private func pushOnce() async throws {
        let (pages, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { continuation.finish() }
                _ = try await self.syncOnce { _, _ in continuation.yield() }
            }
            group.addTask {
                for await _ in pages where try await !self.hasUnanswered() { return }
                // The sync has ended first, and says how.
                try await Task.sleep(for: .seconds(3_600))
            }
            defer { group.cancelAll() }
            try await group.next()
        }
        await recount()
    }
}
