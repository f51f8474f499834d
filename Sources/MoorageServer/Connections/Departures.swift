#if Server
    import MoorageSupport
    import NIOCore

    /// Ends work of which nobody wants the answer: its client has gone.
    ///
    /// A client has also gone when it only says that it sends nothing more. TCP does not tell the
    /// two apart.
    final class Departures: Sendable {
        private struct State {
            /// Open connections whose client sends nothing more.
            var gone: Set<ObjectIdentifier> = []
            /// By connection, which has one request at a time.
            var endings: [ObjectIdentifier: @Sendable () -> Void] = [:]
        }
        private let state = Locked(State())

        /// Records that the connection's client sends nothing more.
        func left(_ id: ObjectIdentifier) {
            let end = state.withLock { state in
                state.gone.insert(id)
                return state.endings[id]
            }
            end?()
        }

        /// Records that the connection is closed.
        func closed(_ id: ObjectIdentifier) {
            let end = state.withLock { state in
                state.gone.remove(id)
                return state.endings[id]
            }
            end?()
        }

        /// Does work, and cancels it when the client goes, or has gone already.
        func watching<Result: Sendable>(
            _ channel: any Channel, _ work: @escaping @Sendable () async throws -> Result
        ) async throws -> Result {
            let id = ObjectIdentifier(channel)
            let task = Task { try await work() }
            let hasGone = state.withLock { state in
                state.endings[id] = { task.cancel() }
                return state.gone.contains(id)
            }
            // A channel that closed before this is inactive, and one that closes now ends the task.
            if hasGone || !channel.isActive { task.cancel() }
            defer { state.withLock { $0.endings[id] = nil } }
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
#endif
