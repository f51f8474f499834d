#if Server
    import Logging
    import MoorageHub
    import MoorageREST
    import MoorageWire

    extension RequestHandler {
        /// The first part of an exchange whose answer may stay open, where there is a place for it.
        ///
        /// - Returns: The rest of a live stream, in a place that ``follow(_:_:_:)`` gives back.
        func begin(
            _ request: consuming ExchangeRequest, with hub: any HubConnection, life: Duration?,
            receive: @Sendable (Frame) async throws -> Void
        ) async throws -> LiveStream? {
            guard request.isLive, let hub = hub as? any LiveHub, streams.enter() else {
                let ending = (consume request).ending
                try await hub.exchange(consume ending, receive: receive)
                return nil
            }
            do {
                let grant = LiveGrant(life: life)
                let stream = try await hub.begin(
                    consume request, grant: grant, receive: receive)
                if stream == nil { streams.leave() }
                return stream
            } catch {
                streams.leave()
                throw error
            }
        }

        /// Writes what comes in a live stream, until it ends.
        func follow(_ stream: LiveStream, _ answer: Answer, _ log: Logger) async throws {
            streams.add(stream)
            defer { streams.leave(stream) }
            do {
                try await stream.run { try await answer.write($0) }
            } catch {
                try await tell(error, answer, log)
            }
            try await answer.finish()
        }

        /// Writes the events of a stream, until it ends.
        func follow(_ stream: EventStream, _ answer: Answer, _ log: Logger) async throws {
            streams.add(stream)
            defer { streams.leave(stream) }
            try await answer.open(EventStream.head)
            do {
                try await stream.run { try await answer.write($0) }
            } catch {
                guard answer.failure == nil, !(error is CancellationError) else { throw error }
                // It goes to the log. The client comes again, and hears it then.
                _ = HTTPRefusal(error, log)
            }
            try await answer.finish()
        }
    }
#endif
