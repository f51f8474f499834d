#if Server
    import MoorageSupport
    import MoorageWire

    /// Decides before any work whether a request may begin. Early refusals keep an overloaded
    /// server working.
    final class Admission: Sendable {
        private struct State {
            var exchanges = 0
            var bytes = 0
            var isStopping = false
        }
        private let state = Locked(State())
        private let limits: HubServer.Limits

        init(limits: HubServer.Limits) { self.limits = limits }

        var exchanges: Int { state.withLock { $0.exchanges } }
        var isStopping: Bool { state.withLock { $0.isStopping } }

        /// Refuses new requests from now on. Running exchanges end after their current page.
        func stop() { state.withLock { $0.isStopping = true } }

        /// Runs one exchange, or refuses it.
        func admit<Result>(
            _ work: (Reservation) async throws -> Result
        ) async throws -> Result {
            try enter()
            let reservation = Reservation(admission: self)
            defer { leave(reservation) }
            return try await work(reservation)
        }

        private func enter() throws(HubError) {
            let refusal: HubError? = state.withLock {
                if $0.isStopping { return HubError.stopping }
                guard $0.exchanges < limits.maximumExchanges else {
                    return HubError.tooManyExchanges
                }
                $0.exchanges += 1
                return nil
            }
            if let refusal { throw refusal }
        }

        private func leave(_ reservation: Reservation) {
            reservation.giveBack()
            state.withLock { $0.exchanges -= 1 }
        }

        /// The memory that one request's body takes, and what the server makes from it.
        final class Reservation: Sendable {
            private let admission: Admission
            private let bytes = Locked(0)

            fileprivate init(admission: Admission) { self.admission = admission }

            func add(_ count: Int) throws(HubError) {
                let limit = admission.limits.maximumBufferedBytes
                let isReserved = admission.state.withLock {
                    guard $0.bytes <= limit - count else { return false }
                    $0.bytes += count
                    return true
                }
                guard isReserved else { throw HubError.tooManyBytes }
                bytes.withLock { $0 += count }
            }

            /// Releases the memory after the request was processed or refused.
            func giveBack() {
                let held = bytes.withLock { bytes in
                    defer { bytes = 0 }
                    return bytes
                }
                admission.state.withLock { $0.bytes -= held }
            }
        }
    }
#endif
