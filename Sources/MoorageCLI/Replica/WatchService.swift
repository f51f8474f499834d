#if Server
    import Logging
    import Moorage
    import MoorageConfiguration
    import ServiceLifecycle
    import UnixSignals

    /// Keeps a replica up to date until a signal stops the program.
    struct WatchService: Service {
        let replica: Replica
        let file: ReplicaFile
        let access: HubAccess
        /// The hub's, for the file to remember.
        let address: String
        let console: Console

        func runUntilStopped() async throws {
            var logger = Logger(label: "moorage") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = .error
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [
                        .init(
                            service: self, successTerminationBehavior: .gracefullyShutdownGroup)
                    ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
            try await group.run()
        }

        func run() async throws {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    do {
                        try await cancelWhenGracefulShutdown { try await replica.run() }
                    } catch is CancellationError {
                        return
                    }
                }
                tasks.addTask {
                    var isRemembered = false
                    for await status in replica.statuses() {
                        tell(status)
                        guard status.isCaughtUp, !isRemembered else { continue }
                        // A busy file is asked again at the next status.
                        isRemembered = (try? await file.remember(hub: address)) != nil
                    }
                }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
            console.endProgress()
        }

        private func tell(_ status: ReplicaStatus) {
            switch status.phase {
            case .stopped: break
            case .idle: console.progress("up to date")
            case .waiting: console.progress("another process runs this replica")
            case .pushing: console.progress("pushing \(status.pendingCount) changes")
            case .pulling:
                guard let done = status.rowsDone, done > 0 else { break }
                let text = ReplicaReport.progress(done: done, expected: status.rowsExpected)
                console.progress("pulling: \(text)")
            case .retrying, .updateRequired:
                let next = status.nextTry.map { "; next try \(ReplicaReport.time($0))" } ?? ""
                let hub = access.place.map { " for \($0)" } ?? ""
                console.progress("waiting\(hub): \(status.lastError?.message ?? "")\(next)")
            }
        }
    }
#endif
