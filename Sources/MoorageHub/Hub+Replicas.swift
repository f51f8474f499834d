import MoorageWire

extension Hub {
    /// Replicas that the hub knows of, with what they said of themselves; the last seen first.
    ///
    /// - Parameters:
    ///   - subject: Only those of one user.
    ///   - limit: How many at most.
    public func replicas(of subject: String? = nil, limit: Int = 1_000) async throws
        -> [ReplicaSummary]
    {
        try await withMetadata {
            try ReplicaDirectory(connection: $0.connection).list(subject: subject, limit: limit)
        }
    }

    /// Refuses a replica from now on, orders it to delete what it has, or admits it again.
    ///
    /// - Parameters:
    ///   - replica: An id, or a beginning of it that no other id has.
    /// - Returns: The replica as it is now.
    /// - Throws: ``HubError`` `notFound`, also where several ids begin so.
    public func set(_ standing: ReplicaStanding, replica id: String) async throws -> ReplicaSummary
    {
        try await withMetadata { metadata in
            let connection = metadata.connection
            let directory = ReplicaDirectory(connection: connection)
            let found = try id.isEmpty ? [] : directory.list(prefix: id, limit: 2)
            guard let replica = found.first(where: { $0.id == id }) ?? found.first,
                found.count == 1 || replica.id == id
            else {
                throw found.isEmpty
                    ? HubError.noReplica(id: id) : HubError.severalReplicas(id: id)
            }
            try connection.writing {
                try directory.set(standing, of: replica.id, now: try connection.now())
            }
            return try directory.list(prefix: replica.id, limit: 1).first ?? replica
        }
    }
}
