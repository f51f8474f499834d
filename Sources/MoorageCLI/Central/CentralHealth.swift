#if Server
    import Logging
    import MoorageHub
    import MoorageServer
    import MoorageWire

    /// Asks the central database whether it answers, and does not wait long for it.
    struct CentralHealth: Sendable {
        private static let timeout = Duration.seconds(5)

        let database: any CentralDatabase
        let hub: Hub
        let logger: Logger

        private enum Answer: Sendable {
            case database(Bool), suspended(Int?), late
        }

        func report() async -> HealthReport {
            await withTaskGroup(of: Answer.self) { tasks in
                tasks.addTask { .database(await answers()) }
                // A hub that cannot work says so to whoever syncs; here it is left out.
                tasks.addTask { .suspended(try? await hub.schema().suspended.count) }
                tasks.addTask {
                    try? await Task.sleep(for: Self.timeout)
                    return .late
                }
                var report = HealthReport(isReachable: false)
                var left = 2
                while left > 0, let answer = await tasks.next() {
                    left -= 1
                    switch answer {
                    case .database(let answers): report.isReachable = answers
                    case .suspended(let count): report.suspendedTables = count
                    case .late: left = 0
                    }
                }
                tasks.cancelAll()
                return report
            }
        }

        private func answers() async -> Bool {
            do {
                return try await database.withConnection { connection in
                    _ = try connection.now()
                    return try connection.hasMetadata()
                }
            } catch {
                logger.warning("The central database does not answer: \(error)")
                return false
            }
        }
    }
#endif
