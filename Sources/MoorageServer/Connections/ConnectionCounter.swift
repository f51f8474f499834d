#if Server
    import MoorageSupport

    /// Counts the open connections against their limit.
    ///
    /// Beyond the limit, a new connection replaces the oldest one whose sender has not signed in
    /// yet. A client that opens connections and never signs in therefore keeps no other client out.
    final class ConnectionCounter: Sendable {
        enum Entry { case admitted, refused, dropped }

        /// How many connections at once may get the reason for their refusal. The server closes
        /// further ones without an answer.
        private static let maximumRefused = 64

        fileprivate struct Silent {
            let number: Int
            let close: @Sendable () -> Void
        }

        fileprivate struct State {
            var admitted = 0
            var refused = 0
            var numbers = 0
            /// Connections whose sender has not signed in yet; never more than the limit.
            var silent: [ObjectIdentifier: Silent] = [:]
            /// Connections that a newer one replaced and that are closing.
            var displaced: Set<ObjectIdentifier> = []
        }
        private let state = Locked(State())
        private let limit: Int

        init(limit: Int) { self.limit = limit }

        var open: Int { state.withLock { $0.admitted } }

        /// - Parameters:
        ///   - id: Identifies the connection until it leaves.
        ///   - close: Closes the connection; any thread may call it.
        func enter(_ id: ObjectIdentifier, close: @escaping @Sendable () -> Void) -> Entry {
            let (entry, displaced) = state.withLock { state -> (Entry, Silent?) in
                var displaced: Silent?
                if state.admitted < limit {
                    state.admitted += 1
                } else if let oldest = state.displaceOldest() {
                    displaced = oldest
                } else {
                    guard state.refused < Self.maximumRefused else { return (.dropped, nil) }
                    state.refused += 1
                    return (.refused, nil)
                }
                state.numbers += 1
                state.silent[id] = Silent(number: state.numbers, close: close)
                return (.admitted, displaced)
            }
            displaced?.close()
            return entry
        }

        /// Records that the connection's sender signed in.
        func spoke(_ id: ObjectIdentifier) { state.withLock { $0.silent[id] = nil } }

        func leave(_ id: ObjectIdentifier, _ entry: Entry) {
            state.withLock {
                $0.silent[id] = nil
                switch entry {
                case .admitted: if $0.displaced.remove(id) == nil { $0.admitted -= 1 }
                case .refused: $0.refused -= 1
                case .dropped: break
                }
            }
        }
    }

    extension ConnectionCounter.State {
        fileprivate mutating func displaceOldest() -> ConnectionCounter.Silent? {
            guard let oldest = silent.min(by: { $0.value.number < $1.value.number }) else {
                return nil
            }
            displaced.insert(oldest.key)
            return silent.removeValue(forKey: oldest.key)
        }
    }
#endif
