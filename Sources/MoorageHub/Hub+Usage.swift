import MoorageSupport

extension Hub {
    /// Which versions of the app and of its schema run on the replicas that still come, and which
    /// columns they lack.
    ///
    /// It reads the last report of each replica.
    ///
    /// - Parameter time: A replica that was not seen for longer does not count; `nil` for the
    ///   retention time.
    public func schemaUsage(seenWithin time: Duration? = nil) async throws -> SchemaUsage {
        try await withMetadata { [configuration] in
            try SchemaUsageReader($0, configuration, seenWithin: time).usage()
        }
    }

    /// Whether a table or a column may be dropped without harm to a replica that still comes.
    ///
    /// A replica may need what it asked for with its last report, and all columns of a table that
    /// the device has suspended. A replica that did not say what it asks for may need everything.
    ///
    /// - Parameters:
    ///   - table: The table's name, compared by bytes.
    ///   - column: The column's name, compared by bytes; `nil` for the whole table.
    ///   - time: A replica that was not seen for longer does not count; `nil` for the retention
    ///     time.
    ///   - limit: How many replicas that may need it are listed at most.
    /// - Throws: ``HubError`` `unknownTable` or `unknownColumn` where neither the hub nor a replica
    ///   syncs it.
    public func checkDrop(
        ofTable table: String, column: String? = nil, seenWithin time: Duration? = nil,
        limit: Int = 1_000
    ) async throws -> DropCheck {
        try await withMetadata { [configuration] in
            try SchemaUsageReader($0, configuration, seenWithin: time)
                .check(table: table, column: column, limit: limit)
        }
    }
}

extension SchemaUsageReader {
    fileprivate init(
        _ metadata: Metadata, _ configuration: HubConfiguration, seenWithin time: Duration?
    ) {
        self.init(
            connection: metadata.connection, configuration: configuration,
            time: time?.milliseconds ?? configuration.retention.time)
    }
}
