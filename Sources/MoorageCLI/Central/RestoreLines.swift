#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub

    /// What `moorage restore-check` prints, as text and as JSON.
    struct RestoreLines {
        /// What names the database and the configuration to the commands of the steps.
        let arguments: [String]

        func text(_ report: RestoreReport) -> [String] {
            var tables = TextTable()
            tables.add("table", "rows", "replicas", "suspended")
            for table in report.tables {
                tables.add(
                    table.name, table.rowCount.map { "\($0)" } ?? "-", "\(table.replicaCount)",
                    table.suspension ?? "-")
            }
            return [facts(report), "", tables.text, ""] + outlook(report)
        }

        private func facts(_ report: RestoreReport) -> String {
            let replicas = report.replicas
            var facts = TextTable()
            facts.add("hub", report.hub)
            facts.add("epoch", report.epoch, "since \(Self.time(report.epochBeganAt))")
            if let copiedAt = report.copiedAt {
                facts.add("rows copied", ReplicaReport.time(copiedAt))
            }
            facts.add(
                "database",
                report.isOtherDatabase
                    ? "another one than when the epoch began" : "the same as when the epoch began")
            facts.add("last push", Self.time(report.newestPushAt))
            facts.add("last report", Self.time(report.newestReportAt))
            facts.add("last contact", Self.time(report.newestContactAt))
            facts.add("replicas", "\(replicas.accepted)")
            let since = "since \(ReplicaReport.time(replicas.since))"
            facts.add("  seen", "\(replicas.recent)", since)
            facts.add("  reported", "\(replicas.reported)", since)
            facts.add("  pushed", "\(replicas.pushed)", since)
            facts.add("  away", "\(replicas.away)", "for longer than the retention time")
            facts.add("  unknown", "\(replicas.unknown)", "they may read every table")
            facts.add("refused", "\(replicas.refused)")
            return facts.text
        }

        private func outlook(_ report: RestoreReport) -> [String] {
            let replicas = DoctorReport.count(report.replicas.accepted, "replica")
            let rows = DoctorReport.count(report.rowsToRead, "row")
            var lines = [
                """
                After a new epoch \(replicas) read about \(rows) in all, once. Each sends again \
                what it pushed within its own retention time.
                """
            ]
            if report.isOtherDatabase {
                lines.append(
                    """
                    A new epoch begins with the first exchange. If this is a copy, and the \
                    original goes on, no replica may come here: run `moorage detach` and \
                    `moorage attach`.
                    """)
            }
            if report.mayComeBack { return lines + ["Devices may come back."] }
            lines.append("Before devices come back:")
            for (number, step) in report.steps.enumerated() {
                lines.append("\(number + 1). \(TextTable.shown(step.reason))")
                if let command = command(of: step) { lines.append("    $ \(command)") }
            }
            return lines
        }

        private func command(of step: RestoreReport.Step) -> String? {
            step.command.map { ShellWord.line($0, arguments) }
        }

        private static func time(_ time: HubTime?) -> String {
            time.map { ReplicaReport.time($0) } ?? "-"
        }

        // MARK: JSON

        func json(_ report: RestoreReport) -> [String] {
            let tables = report.tables.map { table in
                JSONWriter.line("table") {
                    $0.member("name", table.name)
                    $0.member("rows", table.rowCount)
                    $0.member("replicas", Int64(table.replicaCount))
                    $0.member("suspended", table.suspension)
                }
            }
            let steps = report.steps.map { step in
                JSONWriter.line("step") {
                    $0.member("kind", step.kind.rawValue)
                    $0.member("reason", step.reason)
                    $0.member("command", command(of: step))
                }
            }
            return [facts(json: report)] + tables + steps
        }

        private func facts(json report: RestoreReport) -> String {
            let replicas = report.replicas
            return JSONWriter.line("restore") {
                $0.member("hub", report.hub)
                $0.member("epoch", report.epoch)
                $0.member("epochBeganAt", report.epochBeganAt)
                $0.member("copiedAt", report.copiedAt)
                $0.name("isOtherDatabase")
                $0.bool(report.isOtherDatabase)
                $0.name("mayComeBack")
                $0.bool(report.mayComeBack)
                $0.member("checkedAt", report.checkedAt)
                $0.member("newestPushAt", report.newestPushAt)
                $0.member("newestReportAt", report.newestReportAt)
                $0.member("newestContactAt", report.newestContactAt)
                $0.member("since", replicas.since)
                $0.member("accepted", Int64(replicas.accepted))
                $0.member("recent", Int64(replicas.recent))
                $0.member("reported", Int64(replicas.reported))
                $0.member("pushed", Int64(replicas.pushed))
                $0.member("away", Int64(replicas.away))
                $0.member("unknown", Int64(replicas.unknown))
                $0.member("refused", Int64(replicas.refused))
                $0.member("rowsToRead", Int64(report.rowsToRead))
            }
        }
    }

    extension JSONWriter {
        /// Milliseconds since 1970, or null.
        fileprivate mutating func member(_ name: String, _ time: HubTime?) {
            member(name, count: time?.milliseconds)
        }

        /// A count, or null.
        fileprivate mutating func member(_ name: String, _ count: Int?) {
            member(name, count: count.map { Int64($0) })
        }

        private mutating func member(_ name: String, count: Int64?) {
            if let count { member(name, count) } else { member(name, String?.none) }
        }
    }
#endif
