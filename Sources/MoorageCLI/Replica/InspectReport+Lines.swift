#if Server
    import Foundation
    import Moorage
    import MoorageConfiguration
    import MoorageCore

    /// The lines of a report, each as its cells.
    extension InspectReport {
        static func replica(
            _ diagnostics: ReplicaDiagnostics, file: String, address: String?
        ) -> [[String]] {
            let stored = diagnostics.file
            let cursor = diagnostics.cursor
            var lines = [
                ["file", file],
                [
                    "format",
                    """
                    \(diagnostics.fileFormat), journal mode \(stored.journalMode), \
                    SQLite \(stored.sqliteVersion)
                    """,
                ],
                ["size", size(stored)],
                ["replica", diagnostics.replica],
                ["hub", diagnostics.hub ?? "not met yet"],
                ["address", address.map(HubAddress.shown) ?? "not remembered"],
                ["schema", diagnostics.schemaVersion ?? "-"],
                ["last caught up", time(diagnostics.lastCaughtUp) ?? "never"],
                ["by the hub's clock", time(diagnostics.freshAsOf) ?? "-"],
                ["last contact", time(diagnostics.lastContact) ?? "never"],
                ["last error", diagnostics.lastErrorCode ?? "none"],
                ["epoch", cursor.epoch ?? "-"], ["checkpoint", cursor.checkpoint ?? "-"],
                ["log", log(diagnostics.log)],
                ["in flight", diagnostics.inFlight.map(batch) ?? "nothing"],
            ]
            if cursor.isScanning {
                let progress = ReplicaReport.progress(
                    done: cursor.rowsDone ?? 0, expected: cursor.rowsExpected)
                lines.append(["scan", progress])
            }
            if diagnostics.isCloning { lines.append(["clone", "not complete"]) }
            return lines
        }

        private static func size(_ file: ReplicaDiagnostics.File) -> String {
            var parts = ["\(bytes(file.databaseBytes)), \(bytes(file.freeBytes)) of it free"]
            if let wal = file.walBytes { parts.append("\(bytes(wal)) write-ahead log") }
            return parts.joined(separator: ", ")
        }

        private static func log(_ log: ReplicaDiagnostics.Log) -> String {
            guard let first = time(log.first), let last = time(log.last) else { return "empty" }
            return """
                \(count(log.pending, "row")), \(count(log.entries, "entry", "entries")) \
                from \(first) to \(last)
                """
        }

        private static func batch(_ batch: ReplicaDiagnostics.Batch) -> String {
            let time = ReplicaReport.time(batch.preparedAt)
            return """
                batch \(batch.number), \(count(batch.changes, "change")), \
                \(bytes(Int64(batch.bytes))), since \(time)
                """
        }

        static let tableHead = [
            "table", "state", "pending", "sent", "refused", "conflicts", "withheld", "deferred",
            "dangling", "log", "keys", "reason",
        ]

        static func tables(_ tables: [ReplicaDiagnostics.Table]) -> [[String]] {
            tables.map { table in
                let counts = [
                    table.pending, table.inFlight, table.refused, table.overruled,
                    table.withheld, table.deferred, table.dangling, table.logEntries,
                ]
                return [table.name, table.state.rawValue] + counts.map(String.init) + [
                    table.keysLeft.map(String.init) ?? "-",
                    table.code.map { "\($0): \(table.reason ?? "")" } ?? "",
                ]
            }
        }

        static func scopes(_ scopes: ReplicaInspection.Scopes) -> [[String]] {
            scopes.complete.map { [$0, "complete"] } + scopes.partial.map { [$0, "in part"] }
                + scopes.subscriptions.map { subscription in
                    [subscription.scope, "subscribed, \(subscription.state)"]
                }
        }

        static func exchange(_ record: ExchangeRecord) -> [String] {
            [
                ReplicaReport.time(record.startedAt), record.kind.rawValue,
                "\(record.durationMilliseconds) ms",
                "\(record.bytesSent.map(bytes) ?? "-") up",
                "\(record.bytesReceived.map(bytes) ?? "-") down",
                count(record.changesSent, "change"), count(record.rowsReceived, "row"),
                "\(record.rowsRemoved) removed", count(record.pages, "page"),
                (record.code ?? "ok") + (record.count > 1 ? ", \(record.count) times" : ""),
            ]
        }

        private static func bytes(_ count: Int64) -> String {
            count == 0 ? "0 bytes" : count.formatted(.byteCount(style: .decimal))
        }

        private static func count(
            _ number: Int, _ one: String, _ many: String? = nil
        ) -> String {
            "\(number) \(number == 1 ? one : many ?? one + "s")"
        }

        private static func time(_ date: Date?) -> String? { date.map { ReplicaReport.time($0) } }
    }
#endif
