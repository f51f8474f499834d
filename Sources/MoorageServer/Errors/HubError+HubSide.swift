#if Server
    import MoorageWire

    /// What the server cannot do now, and what failed at the hub (docs/reference/errors.md, The
    /// hub's side).
    extension HubError {
        static let tooManyExchanges = HubError(
            .busy, "The server has as many exchanges as it may. Try again later.",
            retryAfter: .seconds(2))

        static let tooManyBytes = HubError(
            .busy, "The server has as many bytes of requests as it may. Try again later.",
            retryAfter: .seconds(2))

        static let tooManyConnections = HubError(
            .busy, "The server has as many connections as it may. Try again later.",
            retryAfter: .seconds(5))

        static let tooManyStreams = HubError(
            .busy, "The server has as many streams as it may. Try again later.",
            retryAfter: .seconds(5))

        static func signInKeysUnavailable(retryAfter wait: Duration) -> HubError {
            HubError(
                .busy, "The server cannot read the keys of the sign-in now. Try again later.",
                retryAfter: wait)
        }

        static let stopping = HubError(
            .shuttingDown, "The server is stopping. Try again in a moment.",
            retryAfter: .seconds(5))

        // MARK: Failures, of which the client hears no more than the request's id

        static func databaseUnavailable(request id: String, retryAfter wait: Duration) -> HubError {
            HubError(
                .databaseUnavailable,
                "The central database does not answer. The server's log says more (request \(id)).",
                retryAfter: wait)
        }

        static func databaseRefused(request id: String, retryAfter wait: Duration?) -> HubError {
            HubError(
                .databaseError,
                "The central database refused to work. The server's log says why (request \(id)).",
                retryAfter: wait)
        }

        static func hubFailed(request id: String, retryAfter wait: Duration?) -> HubError {
            HubError(
                .internalError, "The hub failed. The server's log says why (request \(id)).",
                retryAfter: wait)
        }

        // MARK: For the server's log

        static let unknownFailure = HubError(.internalError, "The hub failed.")

        static let answerWithoutFrames = HubError(
            .internalError, "The hub answered an exchange with no frame.")

        static let hubKnowsNoUsers = HubError(.internalError, "The hub knows no users.")
    }
#endif
