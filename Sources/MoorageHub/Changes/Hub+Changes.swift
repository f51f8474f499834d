import MoorageWire

/// A hub whose changes programs read without being replicas.
package protocol ChangeHub: Sendable {
    /// Whether ``followChanges(for:_:life:)`` may be called.
    var offersChangeStreams: Bool { get }
    /// Reads one page of changes in one snapshot, as a user may see them.
    ///
    /// - Parameter principal: `nil` for a program without a user, which sees what is everyone's.
    /// - Throws: ``RowProblem`` `expired` for a position from which nobody can read on; what the
    ///   request throws for its tables; `HubError` where the hub itself fails.
    func changes(for principal: Principal?, _ request: ChangeRequest) async throws -> ChangePage
    /// Reads the first page of a stream, which then goes on without end.
    ///
    /// - Parameter life: The stream ends after this time, or earlier. `nil` for as long as the hub's
    ///   policy allows.
    /// - Throws: As ``changes(for:_:)``, and `HubError` `tooMany` beyond the streams of one user.
    func followChanges(
        for principal: Principal?, _ request: ChangeRequest, life: Duration?
    ) async throws -> ChangeStream
}

extension Hub: ChangeHub {
    package var offersChangeStreams: Bool { feed.policy.isGranted }

    package func changes(
        for principal: Principal?, _ request: ChangeRequest
    ) async throws -> ChangePage {
        try await access { [states, configuration] connection in
            try Self.translating {
                try ChangeReading(
                    connection: connection, states: states, configuration: configuration,
                    principal: principal, request: request
                ).page()
            }
        }
    }

    package func followChanges(
        for principal: Principal?, _ request: ChangeRequest, life: Duration?
    ) async throws -> ChangeStream {
        let reader = try LiveReader(in: feed, of: principal?.subject)
        let known = reader.state
        let first = try await changes(for: principal, request)
        return ChangeStream(
            of: self, for: principal, request, reader: reader, policy: feed.policy, life: life,
            first: first, known: known)
    }
}
