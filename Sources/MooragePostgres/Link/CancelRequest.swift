import CPostgres

/// Asks the server to end the statement that runs on a connection. The request has a connection of
/// its own. It goes without TLS, and contains nothing but a number that the server made for this.
///
/// `@unchecked Sendable`: libpq allows to send it from any thread.
final class CancelRequest: @unchecked Sendable {
    private let handle: OpaquePointer

    /// - Returns: `nil` for a connection that is closed.
    init?(_ connection: OpaquePointer) {
        guard let handle = PQgetCancel(connection) else { return nil }
        self.handle = handle
    }

    deinit { PQfreeCancel(handle) }

    /// Waits until the server has passed the request on. A failure is not told: the statement goes
    /// on, and whoever interrupts asks again.
    func send() {
        var message = [CChar](repeating: 0, count: 256)
        _ = PQcancel(handle, &message, Int32(message.count))
    }
}
