import MoorageCore

extension ExchangeRequest {
    /// The request as one JSON document.
    package func encoded() -> [UInt8] { encoded(withBatch: true) }

    func encoded(withBatch: Bool) -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.name("protocol")
            $0.integer(Int64(protocolVersion))
            $0.name("replica")
            $0.string(replica)
            $0.optional("formerly", formerly)
            $0.optional("user", user)
            $0.optional("hub", hub)
            $0.optional("clientVersion", clientVersion)
            $0.name("sentAt")
            $0.integer(sentAt.milliseconds)
            $0.name("tables")
            $0.tables(tables)
            if !scopes.isEmpty {
                $0.name("scopes")
                $0.array { for scope in scopes { scope.write(to: &$0) } }
            }
            $0.name("cursor")
            cursor.write(to: &$0)
            $0.optional("schema", schemaVersion)
            $0.optional("rights", rightsVersion)
            if answered > 0 {
                $0.name("answered")
                $0.integer(answered)
            }
            if let batch, withBatch {
                $0.name("batch")
                $0.encoded(batch.encoded())
            }
            if let keys {
                $0.name("keys")
                $0.array {
                    for left in keys {
                        $0.object {
                            $0.name("table")
                            $0.string(left.table)
                            $0.name("left")
                            $0.integer(Int64(left.count))
                        }
                    }
                }
            }
            $0.name("limits")
            $0.object {
                $0.name("rows")
                $0.integer(Int64(limits.maximumRows))
                $0.name("bytes")
                $0.integer(Int64(limits.maximumBytes))
                $0.name("pages")
                $0.integer(Int64(limits.maximumPages))
            }
            $0.flag("live", isLive)
            if let report {
                $0.name("report")
                report.write(to: &$0)
            }
        }
        return writer.bytes
    }

    /// Reads a request in JSON, or in blocks.
    package init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(decoding: bytes, memory: DecodingMemory())
    }

    /// Reads a request at a server that counts its memory.
    ///
    /// - Parameter reserve: Called with about how many bytes of memory the request is going to use.
    package init(
        decoding bytes: [UInt8], reserve: @escaping (Int) throws(HubError) -> Void
    ) throws(HubError) {
        try self.init(decoding: bytes, memory: DecodingMemory(reserve: reserve))
    }

    private init(decoding bytes: [UInt8], memory: DecodingMemory) throws(HubError) {
        if bytes.starts(with: BlockStream.magic) {
            try self.init(block: bytes, memory: memory)
        } else {
            try self.init(JSONReading(parsing: bytes, memory: memory))
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        let version = try reading.member("protocol").count()
        guard version == protocolVersion else {
            throw HubError.otherProtocolVersion(hub: protocolVersion, replica: version)
        }
        let limits = try reading.member("limits")
        let batch: Batch? =
            if let member = reading.optional("batch") { try Batch(member) } else { nil }
        let keys = try reading.optional("keys")?.map { (left) throws(HubError) in
            KeysLeft(
                table: try left.member("table").string(), count: try left.member("left").count())
        }
        self.init(
            replica: try reading.member("replica").replicaID(),
            formerly: try reading.optional("formerly")?.replicaID(),
            user: try reading.optional("user")?.string(),
            hub: try reading.optional("hub")?.string(),
            sentAt: try reading.member("sentAt").time(),
            tables: try reading.member("tables").tables(),
            cursor: try SyncCursor(reading.member("cursor")),
            schemaVersion: try reading.optional("schema")?.string(),
            answered: Int64(try reading.optional("answered")?.count() ?? 0), batch: batch,
            keys: keys,
            limits: PageLimits(
                maximumRows: try limits.member("rows").count(),
                maximumBytes: try limits.member("bytes").count(),
                maximumPages: try limits.member("pages").count()),
            isLive: try reading.flag("live"))
        clientVersion = try reading.optional("clientVersion")?.reportedText()
        scopes = try reading.optional("scopes")?.requestedScopes() ?? []
        rightsVersion = try reading.optional("rights")?.string()
        if let report = reading.optional("report") { self.report = try DeviceReport(report) }
    }
}

extension RequestedScope {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("scope")
            $0.string(scope.name)
            if priority != .normal {
                $0.name("priority")
                $0.string(priority.rawValue)
            }
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        let name = try reading.member("scope").string()
        guard !name.isEmpty, name.utf8.count <= Self.maximumNameBytes else {
            throw reading.error("the name of a scope has 1 to \(Self.maximumNameBytes) bytes")
        }
        // A priority of a later version counts as none.
        let priority = try reading.optional("priority")?.string()
        self.init(Scope(name), priority: priority.flatMap(ScopePriority.init) ?? .normal)
    }
}

extension JSONReading {
    fileprivate func requestedScopes() throws(HubError) -> [RequestedScope] {
        guard try array().count <= RequestedScope.maximumCount else {
            throw error("more than \(RequestedScope.maximumCount) scopes")
        }
        let scopes = try map { (scope) throws(HubError) in try RequestedScope(scope) }
        guard Set(scopes.map(\.scope)).count == scopes.count else {
            throw error("a scope twice")
        }
        return scopes
    }
}
