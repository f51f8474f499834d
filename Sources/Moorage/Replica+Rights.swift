public import GRDB

/// What the user may write, so that an app offers nothing that the hub refuses.
extension Replica {
    /// What the user may write in a table, as the hub said it in the last exchange.
    ///
    /// Everything is allowed before the replica has met its hub, and where the hub restricts
    /// nothing. Nothing is allowed in a table that only the hub writes. The answer is in the file,
    /// so it is there without a network. It does not wait for the app's writes if the database is a
    /// `DatabasePool`.
    ///
    /// Use ``rights(_:on:)`` in a `ValueObservation` to follow the rights.
    ///
    /// - Parameter table: One of the replica's tables, by its name at the hub.
    /// - Throws: ``ReplicaError`` `noSuchTable` for another table, and `CancellationError` if the
    ///   task is cancelled.
    public func rights(on table: String) async throws -> WriteRights {
        try await reading { try $1.rights($0, on: table) }
    }

    /// What the user may write in a table, as a connection of the app sees it. In a
    /// `ValueObservation` of the app, it counts as reading the rights:
    ///
    /// ```swift
    /// let rights = ValueObservation.tracking { db in try replica.rights(db, on: "orders") }
    /// for try await rights in rights.removeDuplicates().values(in: database) { show(rights) }
    /// ```
    ///
    /// - Parameters:
    ///   - db: A connection of the replica's own database.
    ///   - table: One of the replica's tables, by its name at the hub.
    /// - Throws: ``ReplicaError`` `noSuchTable` for another table, and what GRDB throws if the file
    ///   cannot be read.
    public nonisolated func rights(_ db: Database, on table: String) throws -> WriteRights {
        try db.registerAccess(to: Table(Metadata.valueTable))
        return try store.rights(db, on: table)
    }

    /// Whether the user may do something in a table, as the hub said it in the last exchange:
    ///
    /// ```swift
    /// let showsButton = try await replica.may(.insert, .table(Order.self))
    /// ```
    ///
    /// - Parameters:
    ///   - action: What the user wants to do.
    ///   - table: One of the replica's tables. Its name alone counts.
    /// - Throws: As ``rights(on:)``.
    public func may(_ action: WriteAction, _ table: ReplicaTable) async throws -> Bool {
        try await rights(on: table.name).may(action)
    }

    /// The same, as a connection of the app sees it, also for a `ValueObservation`.
    ///
    /// - Parameters:
    ///   - db: A connection of the replica's own database.
    ///   - action: What the user wants to do.
    ///   - table: One of the replica's tables. Its name alone counts.
    /// - Throws: As ``rights(_:on:)``.
    public nonisolated func may(
        _ db: Database, _ action: WriteAction, _ table: ReplicaTable
    ) throws -> Bool {
        try rights(db, on: table.name).may(action)
    }
}
