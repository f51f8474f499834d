#if Server
    /// How many connections are open, against how many may be.
    final class ConnectionCounter: Sendable {
        enum Entry { case admitted, refused, dropped }

        /// Connections that are told why they are refused; beyond these they are closed unheard.
        private static let maximumRefused = 64

        private struct Counts {
            var admitted = 0
            var refused = 0
        }
        private let counts = Locked(Counts())
        private let limit: Int

        init(limit: Int) { self.limit = limit }

        var open: Int { counts.withLock { $0.admitted } }

        func enter() -> Entry {
            counts.withLock {
                if $0.admitted < limit {
                    $0.admitted += 1
                    return .admitted
                }
                guard $0.refused < Self.maximumRefused else { return .dropped }
                $0.refused += 1
                return .refused
            }
        }

        func leave(_ entry: Entry) {
            counts.withLock {
                switch entry {
                case .admitted: $0.admitted -= 1
                case .refused: $0.refused -= 1
                case .dropped: break
                }
            }
        }
    }
#endif
