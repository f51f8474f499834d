import MoorageWire

extension Hub {
    /// The audit trail, newest first; empty where none is kept.
    ///
    /// - Parameter limit: How many at most.
    public func audit(
        _ filter: AuditFilter = AuditFilter(), limit: Int = 100
    ) async throws -> [AuditRecord] {
        try await withMetadata { try $0.audit(filter, limit: limit) }
    }

    /// What the hub's own tables contain about a user. The owner's tables are the owner's to
    /// search.
    public func personalData(about subject: String) async throws -> PersonalData {
        try await withMetadata {
            try PersonalDataAccess(connection: $0.connection, subject: subject).read()
        }
    }

    /// Forgets a user: the conflict log, audit trail, scopes, batches and reports of the user's
    /// replicas, and that these are the user's. The hub refuses the replicas from now on. The owner's tables
    /// stay as they are.
    ///
    /// - Returns: What the hub's own tables contained about the user.
    public func forget(subject: String) async throws -> PersonalData {
        try await withMetadata { metadata in
            let connection = metadata.connection
            let personalData = PersonalDataAccess(connection: connection, subject: subject)
            return try connection.writing {
                let data = try personalData.read()
                try personalData.forget(now: try connection.now())
                return data
            }
        }
    }
}
