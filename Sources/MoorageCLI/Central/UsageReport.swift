#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub

    /// What `moorage schema usage` says without a table.
    enum UsageReport {
        /// Lines of versions; whoever needs more asks for JSON.
        private static let maximumVersions = 1_000

        static func lines(_ usage: SchemaUsage) -> [String] {
            if usage.versions.isEmpty { return ["No replica counts."] + notes(usage.counts) }
            var versions = TextTable()
            versions.add("app", "schema", "replicas", "last seen", "pending")
            for version in usage.versions.prefix(maximumVersions) {
                versions.add(
                    version.appVersion ?? "-", version.schemaVersion ?? "-",
                    "\(version.replicaCount)", ReplicaReport.time(version.lastSeenAt),
                    "\(version.pendingCount)")
            }
            var tables = TextTable()
            tables.add("table", "replicas", "columns that some of them lack")
            for table in usage.tables {
                let lacking = table.lackingColumns.map { "\($0.name) (\($0.replicaCount))" }
                tables.add(
                    table.name, "\(table.replicaCount) of \(usage.counts.counted)",
                    lacking.isEmpty ? "-" : lacking.joined(separator: ", "))
            }
            var lines = [versions.text]
            lines += more(usage.versions.count - maximumVersions)
            lines += ["", tables.text]
            lines += notes(usage.counts)
            return lines
        }

        /// - Parameter count: How many lines were left out; negative for none.
        static func more(_ count: Int) -> [String] { count > 0 ? ["and \(count) more"] : [] }

        /// Which replicas count as needing everything, and which do not count.
        static func notes(_ counts: ReplicaCounts) -> [String] {
            var notes: [String] = []
            let unknown = DoctorReport.count(counts.unknown, "replica")
            let away = DoctorReport.count(counts.away, "replica")
            let refused = DoctorReport.count(counts.refused, "replica")
            if counts.unknown > 0 { notes.append("Unknown: \(unknown). Each may need everything.") }
            if counts.away > 0 {
                let since = ReplicaReport.time(counts.since)
                notes.append("Not counted: \(away), not seen since \(since).")
            }
            if counts.refused > 0 {
                notes.append("Not counted: \(refused), which the hub refuses.")
            }
            return notes
        }

        // MARK: JSON

        static func json(_ usage: SchemaUsage) -> [String] {
            var lines = usage.versions.map(json)
            lines += usage.tables.map(json)
            lines.append(JSONWriter.line("counts") { write(usage.counts, to: &$0) })
            return lines
        }

        private static func json(_ version: SchemaUsage.Version) -> String {
            JSONWriter.line("version") {
                $0.member("appVersion", version.appVersion)
                $0.member("schemaVersion", version.schemaVersion)
                $0.member("replicas", Int64(version.replicaCount))
                $0.member("lastSeenAt", version.lastSeenAt)
                $0.member("pending", Int64(version.pendingCount))
            }
        }

        private static func json(_ table: SchemaUsage.Table) -> String {
            JSONWriter.line("table") {
                $0.member("name", table.name)
                $0.member("replicas", Int64(table.replicaCount))
                $0.name("lacking")
                $0.object { lacking in
                    for column in table.lackingColumns {
                        lacking.member(column.name, Int64(column.replicaCount))
                    }
                }
            }
        }

        static func write(_ counts: ReplicaCounts, to writer: inout JSONWriter) {
            writer.member("since", counts.since)
            writer.member("counted", Int64(counts.counted))
            writer.member("unknown", Int64(counts.unknown))
            writer.member("away", Int64(counts.away))
            writer.member("refused", Int64(counts.refused))
        }
    }
#endif
