#if Server
    import MoorageWire

    extension HubError {
        /// The status of an answer that is nothing but this error (docs/reference/protocol.md, Errors).
        var status: Int {
            switch code {
            case .malformed: 400
            case .unauthorized: 401
            case .differentUser, .replicaRevoked, .replicaWiped: 403
            case .notFound, .unknownTable, .unknownColumn: 404
            case .unreachable: 408
            case .differentHub, .cursorInvalid, .cursorExpired, .tableSuspended, .tableUnsupported:
                409
            case .tooLarge: 413
            case .protocolTooOld, .clientTooOld: 426
            case .tooMany: 429
            case .busy, .shuttingDown, .databaseUnavailable, .notAttached, .metadataTooNew: 503
            default: 500
            }
        }

        /// The header `Retry-After`, in whole seconds.
        var retryAfterField: String? { retryAfter.map { String(max(1, $0.components.seconds)) } }

        /// What a client may hear: what the database or our own code said stays in the log, under
        /// the request's id.
        func forClient(request id: String) -> HubError {
            switch code {
            case .databaseUnavailable:
                HubError.databaseUnavailable(request: id, retryAfter: retryAfter ?? .seconds(5))
            case .databaseError:
                HubError.databaseRefused(request: id, retryAfter: retryAfter)
            case .internalError, .configuration:
                HubError.hubFailed(request: id, retryAfter: retryAfter)
            case .busy, .shuttingDown:
                HubError(code, message, retryAfter: retryAfter ?? .seconds(2))
            default: self
            }
        }

        /// Whether the owner of the server should see it: it is not the client's doing.
        var isOurs: Bool {
            switch code {
            case .databaseUnavailable, .databaseError, .internalError, .configuration,
                .notAttached, .metadataTooNew:
                true
            default: false
            }
        }
    }
#endif
