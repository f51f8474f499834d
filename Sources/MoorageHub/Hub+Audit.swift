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

    /// What the hub's own tables hold about a user. What the owner's tables hold is the owner's to find.
    public func personalData(about subject: String) async throws -> PersonalData {
        try await withMetadata {
            try PersonalDataAccess(connection: $0.connection, subject: subject).read()
        }
    }

    /// Forgets a user: conflict log, audit trail, scopes and batches of his replicas, and that they are his.
    /// The replicas are refused from now on; the owner's tables stay as they are.
    ///
    /// - Returns: What was held.
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
