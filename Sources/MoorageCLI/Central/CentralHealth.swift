#if Server
    import Logging
    import MoorageHub
    import MoorageServer

    /// Asks the central database whether it answers, and does not wait long for it.
    struct CentralHealth: Sendable {
        private static let timeout = Duration.seconds(5)

        let database: any CentralDatabase
        let logger: Logger

        func report() async -> HealthReport {
            do {
                let isReachable = try await withThrowingTaskGroup(of: Bool.self) { tasks in
                    tasks.addTask {
                        try await database.withConnection { connection in
                            _ = try connection.now()
                            return try connection.hasMetadata()
                        }
                    }
                    tasks.addTask {
                        try await Task.sleep(for: Self.timeout)
                        return false
                    }
                    let first = try await tasks.next() ?? false
                    tasks.cancelAll()
                    return first
                }
                return HealthReport(isReachable: isReachable)
            } catch {
                logger.warning("The central database does not answer: \(error)")
                return HealthReport(isReachable: false)
            }
        }
    }
#endif
