import MoorageCore
package import MoorageWire

/// The hub on the calling thread, for programs and tests without tasks: the same steps, each a
/// call.
extension Hub {
    /// The same exchange on the calling thread, for programs and tests without tasks.
    ///
    /// - Parameter principal: Whose exchange it is; without one it gets only what is everyone's.
    package func exchange(
        _ request: ExchangeRequest, for principal: Principal? = nil,
        receive: (Frame) throws -> Void
    ) throws {
        _ = try exchange(request, for: principal, isGranted: false, receive: receive)
    }

    /// - Returns: What a live stream continues from; `nil` after the answer's end.
    func exchange(
        _ request: ExchangeRequest, for principal: Principal?, isGranted: Bool,
        receive: (Frame) throws -> Void
    ) throws -> LiveOpening? {
        let member = LiveMember(request, of: principal)
        var steps = steps(request, for: principal, terms: isGranted ? feed.policy.terms : nil)
        while !steps.isOver {
            let frame = try performing { try steps.next(on: $0) }
            guard let frame else { break }
            notice(frame, of: member)
            try receive(frame)
        }
        return steps.opening
    }

    func performing<Result>(_ body: (any CentralConnection) throws -> Result) throws -> Result {
        try Self.translating { try database.perform(body) }
    }

    /// The check and the reading for one live stream by itself.
    func reading(
        of opening: LiveOpening, at cursor: SyncCursor, isCaughtUp: Bool
    ) -> (LiveCheck, LiveReading) {
        let view = opening.view
        let check = LiveCheck(
            states: states, configuration: configuration,
            asked: [.init(number: 0, member: opening.member, view: view, cursor: cursor)])
        let group = LiveGroup(view: view, cursor: cursor, isCaughtUp: isCaughtUp)
        let reading = LiveReading(
            states: states, configuration: configuration, changeToken: nil, checkpoint: nil,
            asked: [.init(group: group, isBehind: true)])
        return (check, reading)
    }

    /// The schema on the calling thread.
    package func currentSchema() throws -> SchemaAnswer {
        try database.perform { try schema(on: $0) }
    }

    /// A comparison on the calling thread.
    package func comparison(
        _ request: CompareRequest, for principal: Principal? = nil
    ) throws -> CompareAnswer {
        try database.perform { try compare(request, for: principal, on: $0) }
    }

    /// ``set(_:replica:)`` of the replica with this whole id, on the calling thread.
    package func order(_ standing: ReplicaStanding, of replica: String) throws {
        try database.perform { connection in
            try Self.translating {
                try connection.writing {
                    try ReplicaDirectory(connection: connection)
                        .set(standing, of: replica, now: try connection.now())
                }
            }
        }
    }
}
