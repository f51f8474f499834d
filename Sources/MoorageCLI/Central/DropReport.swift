#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub
    import MoorageWire

    /// What `moorage schema usage` says of one table or column.
    struct DropReport {
        static let maximumReplicas = 1_000

        let table: String
        let column: String?

        /// The table or column as an error names it.
        var name: String { TextTable.shown(column.map { "\(table).\($0)" } ?? table) }

        func lines(_ check: DropCheck) -> [String] {
            let notes = UsageReport.notes(check.counts)
            if check.isSafe {
                let counted = DoctorReport.count(check.counts.counted, "replica")
                return ["Safe to drop: \(name). Counted: \(counted)."] + notes
            }
            var lines = TextTable()
            lines.add("replica", "user", "name", "app", "last seen", "pending", "why")
            for replica in check.replicas {
                let report = replica.summary.report
                lines.add(
                    replica.summary.id, replica.summary.subject ?? "-", report?.name ?? "-",
                    report?.appVersion ?? "-", ReplicaReport.time(replica.summary.seenAt),
                    report.map { "\($0.pendingCount)" } ?? "-", replica.need.words)
            }
            let more = UsageReport.more(check.needCount - check.replicas.count)
            return [lines.text] + more + notes
        }

        func json(_ check: DropCheck) -> [String] {
            let replicas = check.replicas.map { replica in
                JSONWriter.line("replica") {
                    replica.summary.writeMembers(to: &$0)
                    $0.member("need", replica.need.rawValue)
                }
            }
            let drop = JSONWriter.line("drop") {
                $0.member("table", table)
                $0.member("column", column)
                $0.name("safe")
                $0.bool(check.isSafe)
                $0.member("needing", Int64(check.needCount))
                UsageReport.write(check.counts, to: &$0)
            }
            return replicas + [drop]
        }
    }

    extension DropCheck.Need {
        fileprivate var words: String {
            switch self {
            case .requested: "syncs it"
            case .suspended: "has suspended the table"
            case .unknown: "unknown"
            }
        }
    }
#endif
