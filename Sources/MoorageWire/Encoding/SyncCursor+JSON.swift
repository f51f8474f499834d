package import MoorageCore

extension SyncCursor {
    /// The cursor as JSON, for the wire and for the replica's own table.
    package func encoded() -> [UInt8] {
        JSONWriter.document { write(to: &$0) }
    }

    package init(decoding bytes: [UInt8]) throws(HubError) {
        try self.init(JSONReading(parsing: bytes))
    }

    func write(to writer: inout JSONWriter) {
        writer.object {
            if let epoch {
                $0.name("epoch")
                $0.string(epoch.text)
            }
            if let checkpoint {
                $0.name("checkpoint")
                $0.string(checkpoint.text)
            }
            $0.scopes("complete", complete)
            $0.scopes("partial", partial)
            $0.signatures("tables", tables)
            if let scan {
                $0.name("scan")
                scan.write(to: &$0)
            }
            if let brokenOff {
                $0.name("brokenOff")
                $0.string(brokenOff.text)
            }
            if let highWater {
                $0.name("highWater")
                $0.string(highWater.text)
            }
            if !ahead.isEmpty {
                $0.name("ahead")
                let rows = ahead.map { $0.encoded() }.sorted { $0.lexicographicallyPrecedes($1) }
                $0.array { for row in rows { $0.encoded(row) } }
            }
            if let signature {
                $0.name("signature")
                signature.write(to: &$0)
            }
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        try reading.checkObject()
        let scan: Scan? =
            if let member = reading.optional("scan") { try Scan(member) } else { nil }
        let ahead =
            try reading.optional("ahead")?.map { (element) throws(HubError) in try RowName(element)
            } ?? []
        let signature: CursorSignature? =
            if let member = reading.optional("signature") { try CursorSignature(member) } else {
                nil
            }
        self.init(
            epoch: try reading.optional("epoch")?.string().asEpoch,
            checkpoint: try reading.optional("checkpoint")?.string().asCheckpoint,
            complete: try reading.scopes("complete"), partial: try reading.scopes("partial"),
            tables: try reading.signatures("tables"), scan: scan,
            brokenOff: try reading.optional("brokenOff")?.string().asCheckpoint,
            highWater: try reading.optional("highWater")?.string().asCheckpoint, ahead: Set(ahead),
            signature: signature)
    }
}

extension CursorSignature {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("readAt")
            $0.string(readAt.text)
            if !lost.isEmpty {
                $0.name("lost")
                $0.object {
                    for (scope, checkpoint) in lost.sorted(by: { $0.key < $1.key }) {
                        $0.name(scope.name)
                        $0.string(checkpoint.text)
                    }
                }
            }
            $0.name("code")
            $0.string(code)
            $0.optional("scanCode", scanCode)
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        var lost: [Scope: Checkpoint] = [:]
        for (name, checkpoint) in try reading.optional("lost")?.object() ?? [] {
            lost[Scope(name)] = Checkpoint(try checkpoint.string())
        }
        self.init(
            readAt: Checkpoint(try reading.member("readAt").string()), lost: lost,
            code: try reading.member("code").string(),
            scanCode: try reading.optional("scanCode")?.string())
    }
}

extension Scan {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("upperBound")
            $0.string(upperBound.text)
            $0.scopes("scopes", scopes)
            $0.signatures("tables", tables)
            if let position {
                $0.name("position")
                $0.object {
                    $0.name("table")
                    $0.integer(Int64(position.table))
                    $0.name("scope")
                    $0.string(position.scope.name)
                    $0.name("version")
                    $0.string(String(position.version))
                    $0.name("key")
                    position.key.write(to: &$0)
                }
            }
        }
    }

    fileprivate init(_ reading: JSONReading) throws(HubError) {
        var position: ScanPosition?
        if let member = reading.optional("position") {
            guard let version = UInt64(try member.member("version").string()) else {
                throw member.error("no version")
            }
            position = ScanPosition(
                table: try member.member("table").count(),
                scope: Scope(try member.member("scope").string()),
                version: version, key: try RowKey(member.member("key")))
        }
        self.init(
            upperBound: Checkpoint(try reading.member("upperBound").string()),
            scopes: try reading.scopes("scopes"),
            tables: try reading.signatures("tables"), position: position)
    }
}

extension RowName {
    func write(to writer: inout JSONWriter) {
        writer.object {
            $0.name("table")
            $0.string(table)
            $0.name("key")
            key.write(to: &$0)
        }
    }

    fileprivate func encoded() -> [UInt8] {
        JSONWriter.document { write(to: &$0) }
    }

    init(_ reading: JSONReading) throws(HubError) {
        self.init(
            table: try reading.member("table").string(), key: try RowKey(reading.member("key")))
    }
}

extension String {
    fileprivate var asEpoch: Epoch { Epoch(self) }
    fileprivate var asCheckpoint: Checkpoint { Checkpoint(self) }
}

extension JSONWriter {
    /// Sets are written sorted, so that equal cursors are equal bytes.
    fileprivate mutating func scopes(_ name: String, _ scopes: Set<Scope>) {
        guard !scopes.isEmpty else { return }
        self.name(name)
        strings(scopes.sorted().map(\.name))
    }

    fileprivate mutating func signatures(_ name: String, _ tables: [Identifier: String]) {
        guard !tables.isEmpty else { return }
        self.name(name)
        let sorted = tables.sorted { $0.key < $1.key }
        object {
            for (table, signature) in sorted {
                $0.name(table.text)
                $0.string(signature)
            }
        }
    }
}

extension JSONReading {
    fileprivate func scopes(_ name: String) throws(HubError) -> Set<Scope> {
        Set(try optional(name)?.strings().map { Scope($0) } ?? [])
    }

    fileprivate func signatures(_ name: String) throws(HubError) -> [Identifier: String] {
        var result: [Identifier: String] = [:]
        for (table, value) in try optional(name)?.object() ?? [] {
            result[Identifier(table)] = try value.string()
        }
        return result
    }
}
