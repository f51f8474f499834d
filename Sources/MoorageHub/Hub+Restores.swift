import MoorageSupport

extension Hub {
    /// Says what happens when replicas come back to a database that was restored, moved or copied,
    /// and what to do before. It changes nothing, and works while no server runs.
    ///
    /// - Parameter time: Counts replicas that came, reported and pushed within this time.
    /// - Throws: ``HubError`` `notAttached` where Moorage's own tables are missing, as after a copy
    ///   of the owner's tables alone. ``HubMove`` says how to go on there.
    public func restoreCheck(
        seenWithin time: Duration = .seconds(7 * 86_400)
    ) async throws -> RestoreReport {
        try await withMetadata { [configuration] in
            try RestoreCheck(
                connection: $0.connection, configuration: configuration,
                recent: time.milliseconds
            ).report()
        }
    }
}
