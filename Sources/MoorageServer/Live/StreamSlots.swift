#if Server
    import MoorageHub
    import MoorageREST
    import MoorageSupport
    import MoorageWire

    /// A stream that goes on until somebody ends it.
    protocol EndableStream: AnyObject, Sendable {
        /// - Parameter wait: How long the client waits before it comes again.
        func end(wait: Duration?)
    }

    extension LiveStream: EndableStream {}
    extension EventStream: EndableStream {}

    /// The answers that are open, each in a place of its own: there are only so many.
    final class StreamSlots: Sendable {
        private struct State {
            var occupied = 0
            var streams: [ObjectIdentifier: any EndableStream] = [:]
            var isStopping = false
        }
        private let state = Locked(State())
        private let maximum: Int

        /// Devices of a server that stops come back within this time, each at another moment.
        private static let returning = 1_000...10_000

        init(limits: ServerLimits) {
            // Some connections are left for who has no live stream.
            maximum = min(limits.maximumStreams, limits.maximumConnections * 4 / 5)
        }

        var open: Int { state.withLock { $0.streams.count } }

        /// Takes a place; it is given back by ``leave(_:)``.
        ///
        /// - Returns: Whether there was one.
        func enter() -> Bool {
            state.withLock { state in
                guard !state.isStopping, state.occupied < maximum else { return false }
                state.occupied += 1
                return true
            }
        }

        /// From now on a stop ends the stream.
        func add(_ stream: any EndableStream) {
            let isStopping = state.withLock { state in
                state.streams[ObjectIdentifier(stream)] = stream
                return state.isStopping
            }
            if isStopping { Self.end(stream) }
        }

        func leave(_ stream: (any EndableStream)? = nil) {
            state.withLock { state in
                state.occupied -= 1
                if let stream { state.streams[ObjectIdentifier(stream)] = nil }
            }
        }

        /// Ends all of them, and lets no other one begin.
        func stop() {
            let streams = state.withLock { state in
                state.isStopping = true
                return Array(state.streams.values)
            }
            for stream in streams { Self.end(stream) }
        }

        private static func end(_ stream: any EndableStream) {
            stream.end(wait: .milliseconds(Int.random(in: returning)))
        }
    }
#endif
