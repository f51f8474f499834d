#if Server
    import Foundation
    import Moorage
    import MoorageCore
    import MoorageWire

    /// What the commands say of a replica.
    enum ReplicaReport {
        static func line(_ summary: SyncSummary) -> String {
            var parts = ["\(summary.changesPushed) pushed"]
            if summary.changesRefused > 0 { parts.append("\(summary.changesRefused) refused") }
            parts.append("\(summary.rowsReceived) received")
            if summary.rowsRemoved > 0 { parts.append("\(summary.rowsRemoved) removed") }
            parts.append(summary.isCaughtUp ? "caught up" : "not caught up")
            return parts.joined(separator: ", ")
        }

        static func lines(_ status: ReplicaStatus, file: String) -> String {
            var table = TextTable()
            table.add("file", file)
            table.add("caught up", status.lastCaughtUp.map(time) ?? "never")
            table.add("pending", "\(status.pendingCount)")
            table.add("refused", "\(status.refusedCount)")
            table.add("conflicts", "\(status.overruledCount)")
            table.add("withheld", "\(status.withheldCount)")
            table.add("waiting", "\(status.waitingCount)")
            for stopped in status.stoppedTables {
                table.add("stopped", "\(stopped.name): \(stopped.reason)")
            }
            return table.text
        }

        static func lines(_ changes: [PendingChange]) -> String {
            var table = TextTable()
            for change in changes {
                table.add(
                    change.isInFlight ? "sent" : "pending", change.table,
                    change.key.values.jsonText(), change.kind.rawValue, time(change.editedAt))
            }
            return table.text
        }

        static func lines(_ changes: [RefusedChange]) -> String {
            var table = TextTable()
            for change in changes {
                table.add(
                    "refused", change.table, change.key.values.jsonText(),
                    change.operation.rawValue, time(change.at),
                    "\(change.code.rawValue): \(change.message)")
            }
            return table.text
        }

        static func lines(_ differences: [RowDifference]) -> String {
            var table = TextTable()
            for difference in differences {
                table.add(
                    difference.table, difference.key.values.jsonText(), difference.kind.rawValue)
            }
            return table.text
        }

        static func progress(_ progress: CloneProgress) -> String {
            let rows = Self.progress(done: progress.rows, expected: progress.expectedRows)
            guard let bytes = progress.bytes else { return rows }
            return "\(rows), \(bytes.formatted(.byteCount(style: .decimal)))"
        }

        static func progress(done: Int, expected: Int?) -> String {
            guard let expected, expected > 0 else { return "\(done) rows" }
            return "\(done) of about \(max(done, expected)) rows"
        }

        /// Milliseconds since 1970 as a person reads them, in UTC.
        static func time(_ milliseconds: Int64) -> String {
            Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
                .formatted(.iso8601.dateTimeSeparator(.space))
        }
    }
#endif
