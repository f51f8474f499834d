import MoorageWire

/// A connector's error as one that can go to a replica.
extension HubError {
    init(_ error: CentralError) {
        switch error.kind {
        case .conflict: self = HubError.centralBusy(error.message)
        case .unavailable: self = HubError.centralUnavailable(error.message)
        case .invalidCheckpoint: self = HubError.cursorInvalid
        case .refused, .failed: self = HubError.centralFailed(error.message)
        }
    }

    private static func centralBusy(_ message: String) -> HubError {
        HubError(.busy, "The central database is busy: \(message)", retryAfter: .seconds(1))
    }

    private static func centralUnavailable(_ message: String) -> HubError {
        HubError(.databaseUnavailable, message, retryAfter: .seconds(5))
    }

    private static func centralFailed(_ message: String) -> HubError {
        HubError(.databaseError, message)
    }
}
