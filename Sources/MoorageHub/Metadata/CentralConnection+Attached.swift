import MoorageWire

extension CentralConnection {
    /// The tables as they are attached, with their scopes, for a connector that derives tracking
    /// rows itself. Empty before the first attach.
    ///
    /// - Throws: ``HubError`` of kind `internalError` where Moorage's own tables contain something
    ///   else.
    public func attachedTables() throws -> [AttachedTable] {
        let metadata = Metadata(connection: self)
        let scopes = try metadata.scopes()
        return try metadata.tables().map { table in
            guard let text = scopes[table.number] else { return table }
            guard let paths = [ScopePath](text: text) else {
                throw HubError.scopePathsMissing
            }
            return AttachedTable(
                number: table.number, description: table.description, scopes: paths)
        }
    }
}
