import MoorageCore

extension CompareRequest {
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.name("replica")
            $0.string(replica)
            $0.optional("formerly", formerly)
            $0.optional("user", user)
            $0.optional("clientVersion", clientVersion)
            $0.name("table")
            table.write(to: &$0)
            if let after {
                $0.name("after")
                after.write(to: &$0)
            }
            $0.name("rows")
            $0.integer(Int64(maximumRows))
            $0.name("cursor")
            cursor.write(to: &$0)
            $0.name("values")
            $0.bool(withValues)
        }
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(JSONReading(parsing: bytes))
    }

    /// Reads a request at a server that counts its memory.
    ///
    /// - Parameter reserve: Called with about how many bytes of memory the request is going to use.
    package init(
        decoding bytes: [UInt8], reserve: @escaping (Int) throws(HubError) -> Void
    ) throws(HubError) {
        try self.init(
            JSONReading(parsing: bytes, memory: DecodingMemory(reserve: reserve)))
    }

    private init(_ reading: JSONReading) throws(HubError) {
        let after: RowKey? =
            if let member = reading.optional("after") { try RowKey(member) } else { nil }
        self.init(
            replica: try reading.member("replica").string(),
            formerly: try reading.optional("formerly")?.replicaID(),
            user: try reading.optional("user")?.string(),
            table: try TableColumns(reading.member("table")), after: after,
            maximumRows: try reading.member("rows").count(),
            cursor: try SyncCursor(reading.member("cursor")),
            withValues: try reading.member("values").bool())
        clientVersion = try reading.optional("clientVersion")?.reportedText()
    }
}

extension CompareAnswer {
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.object {
            $0.name("rows")
            $0.array { for row in rows { row.write(to: &$0) } }
            if let next {
                $0.name("next")
                next.write(to: &$0)
            }
        }
        return writer.bytes
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        let reading = try JSONReading(parsing: bytes)
        let next: RowKey? =
            if let member = reading.optional("next") { try RowKey(member) } else { nil }
        self.init(
            rows: try reading.member("rows").map { (row) throws(HubError) in try ComparedRow(row) },
            next: next)
    }
}

extension ComparedRow {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("key")
            key.write(to: &$0)
            $0.optional("fingerprint", fingerprint)
            if let values {
                $0.name("values")
                $0.values(values)
            }
            $0.flag("beyond", isBeyondCursor)
            $0.flag("withheld", isWithheld)
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        self.init(
            key: try RowKey(reading.member("key")),
            fingerprint: try reading.optional("fingerprint")?.string(),
            values: try reading.optional("values")?.values(),
            isBeyondCursor: try reading.flag("beyond"),
            isWithheld: try reading.flag("withheld"))
    }
}
