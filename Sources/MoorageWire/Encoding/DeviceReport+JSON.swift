package import MoorageCore

extension DeviceReport {
    /// The report as JSON, for the wire and for the hub's tables.
    ///
    /// - Parameter more: Writes members of the hub's own behind those of the report. Whoever reads
    ///   a report ignores them.
    package func encoded(with more: (inout JSONWriter) -> Void = { _ in }) -> [UInt8] {
        JSONWriter.document { write(to: &$0, with: more) }
    }

    /// Reads a report from the hub's tables.
    package init(_ json: JSON) throws(HubError) { try self.init(JSONReading(json)) }

    func write(to writer: inout JSONWriter, with more: (inout JSONWriter) -> Void = { _ in }) {
        writer.object {
            $0.optional("name", name)
            $0.optional("appVersion", appVersion)
            $0.optional("libraryVersion", libraryVersion)
            $0.optional("platform", platform)
            $0.optional("schema", schemaVersion)
            $0.name("pending")
            $0.integer(Int64(pendingCount))
            $0.name("refused")
            $0.integer(Int64(refusedCount))
            $0.name("overruled")
            $0.integer(Int64(overruledCount))
            $0.optional("oldestPending", oldestPendingAt?.milliseconds)
            if !suspendedTables.isEmpty {
                $0.name("suspended")
                $0.strings(suspendedTables)
            }
            $0.name("fileSize")
            $0.integer(fileSize)
            $0.optional("lastError", lastErrorCode)
            $0.optional("clockOffset", clockOffset)
            more(&$0)
        }
    }

    init(_ reading: JSONReading) throws(HubError) {
        let suspended = reading.optional("suspended")
        if let suspended, try suspended.array().count > Self.maximumTables {
            throw suspended.error("more than \(Self.maximumTables) tables")
        }
        self.init(
            name: try reading.reported("name"), appVersion: try reading.reported("appVersion"),
            libraryVersion: try reading.reported("libraryVersion"),
            platform: try reading.reported("platform"),
            schemaVersion: try reading.reported("schema"),
            pendingCount: try reading.member("pending").count(),
            refusedCount: try reading.member("refused").count(),
            overruledCount: try reading.member("overruled").count(),
            oldestPendingAt: try reading.optional("oldestPending")?.time(),
            suspendedTables: try suspended?.map { (table) throws(HubError) in
                try table.reportedText()
            } ?? [],
            fileSize: Int64(try reading.member("fileSize").count()),
            lastErrorCode: try reading.reported("lastError"),
            clockOffset: try reading.optional("clockOffset")?.int64())
    }
}

extension JSONReading {
    /// A text that a device says of itself.
    fileprivate func reported(_ name: String) throws(HubError) -> String? {
        try optional(name)?.reportedText()
    }

    func reportedText() throws(HubError) -> String {
        let text = try string()
        guard text.utf8.count <= DeviceReport.maximumTextBytes else {
            throw error("a text of more than \(DeviceReport.maximumTextBytes) bytes")
        }
        return text
    }
}
