#if Server
    import Foundation
    import Moorage
    import MoorageConfiguration
    import MoorageCore
    import MoorageSupport
    import MoorageWire

    /// What the commands say of a replica.
    enum ReplicaReport {
        static func line(_ summary: SyncSummary, suspended: Int = 0) -> String {
            var parts = ["\(summary.changesPushed) pushed"]
            if summary.changesRefused > 0 { parts.append("\(summary.changesRefused) refused") }
            parts.append("\(summary.rowsReceived) received")
            if summary.rowsRemoved > 0 { parts.append("\(summary.rowsRemoved) removed") }
            let tables = suspended == 1 ? "1 suspended table" : "\(suspended) suspended tables"
            let isCaughtUp = summary.isCaughtUp ? "caught up" : "not caught up"
            parts.append(suspended == 0 ? isCaughtUp : "\(isCaughtUp) but for \(tables)")
            return parts.joined(separator: ", ")
        }

        /// - Parameter hub: The address that the file remembers.
        static func lines(_ status: ReplicaStatus, file: String, hub: String?) -> String {
            var table = TextTable()
            table.add("file", file)
            table.add("hub", hub.map(HubAddress.shown) ?? "not remembered")
            table.add("last caught up", status.lastCaughtUp.map { time($0) } ?? "never")
            // Without asking the hub, only the opposite is certain.
            let missing = Self.missing(status)
            if !missing.isEmpty {
                table.add("caught up", "no: \(missing.joined(separator: ", "))")
            }
            table.add("pending", "\(status.pendingCount)")
            table.add("refused", "\(status.refusedCount)")
            table.add("conflicts", "\(status.overruledCount)")
            table.add("withheld", "\(status.withheldCount)")
            table.add("waiting", "\(status.deferredCount)")
            if status.danglingCount > 0 { table.add("dangling", "\(status.danglingCount)") }
            for suspended in status.suspendedTables {
                let waiting =
                    suspended.pendingCount == 0 ? "" : " (\(suspended.pendingCount) pending)"
                table.add("suspended", "\(suspended.name)\(waiting): \(suspended.reason)")
            }
            return table.text
        }

        /// What the file itself says that it lacks, or the hub.
        private static func missing(_ status: ReplicaStatus) -> [String] {
            var parts: [String] = []
            if status.pendingCount > 0 { parts.append("\(status.pendingCount) pending") }
            if let expected = status.rowsExpected {
                parts.append("received " + progress(done: status.rowsDone ?? 0, expected: expected))
            }
            if status.deferredCount > 0 { parts.append("\(status.deferredCount) waiting") }
            let suspended = status.suspendedTables.count
            if suspended > 0 { parts.append("\(suspended) suspended") }
            return parts
        }

        static func lines(_ suspended: [SuspendedReplicaTable]) -> String {
            var table = TextTable()
            for one in suspended {
                table.add("suspended", one.name, "\(one.pendingCount) pending", one.reason)
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
                    change.kind.rawValue, time(change.at),
                    "\(change.code.rawValue): \(change.message)")
            }
            return table.text
        }

        /// Rows that refer to nothing, at the hub as here.
        static func lines(_ rows: [DanglingRow]) -> String {
            var table = TextTable()
            for row in rows {
                table.add(
                    "dangling", row.table, row.key.values.jsonText(),
                    "\(row.columns.joined(separator: ", ")) names no row of \(row.referencedTable)")
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

        /// A time as a person reads it, in UTC.
        static func time(_ date: Date) -> String {
            date.formatted(.iso8601.dateTimeSeparator(.space))
        }

        static func time(_ time: HubTime) -> String { self.time(time.date) }

        /// A time as JSON has it: milliseconds since 1970.
        static func milliseconds(_ date: Date) -> Int64 { DeviceTime(date).milliseconds }
    }
#endif
