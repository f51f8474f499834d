#if Server
    import MoorageConfiguration
    import MoorageCore
    import MoorageHub

    /// What the commands say of the conflict log.
    enum ConflictReport {
        static func lines(_ records: [ConflictRecord]) -> String {
            var table = TextTable()
            for record in records {
                table.add(
                    ReplicaReport.time(record.loggedAt), record.table, record.key, record.kind,
                    record.reasonCode ?? record.rule ?? "-", record.decision?.rawValue ?? "open",
                    record.id)
            }
            return table.text
        }

        static func text(_ record: ConflictRecord) -> String {
            var table = TextTable()
            table.add("id", record.id)
            table.add("table", record.table)
            table.add("key", record.key)
            table.add("kind", record.kind)
            if let rule = record.rule { table.add("rule", rule) }
            if let code = record.reasonCode {
                table.add("reason", "\(code): \(record.reason ?? "")")
            }
            table.add("replica", record.replica)
            table.add("batch", "\(record.batch)")
            table.add("edited", ReplicaReport.time(record.editedAt))
            table.add("logged", ReplicaReport.time(record.loggedAt))
            table.add("base", record.base ?? "no row")
            table.add("mine", record.mine ?? "no row")
            table.add("theirs", record.theirs ?? "no row")
            table.add("result", record.result ?? "no row")
            if let decision = record.decision {
                let time = record.decidedAt.map { ", \(ReplicaReport.time($0))" } ?? ""
                table.add("decided", decision.rawValue + time)
            }
            return table.text
        }

        /// All of it in one line; the sides are objects of columns, or null where there was no row.
        static func json(_ record: ConflictRecord) -> String {
            var writer = JSONWriter()
            writer.object {
                $0.member("id", record.id)
                $0.member("table", record.table)
                $0.member("key", document: record.key)
                $0.member("kind", record.kind)
                $0.member("rule", record.rule)
                $0.member("code", record.reasonCode)
                $0.member("reason", record.reason)
                $0.member("replica", record.replica)
                $0.member("batch", record.batch)
                $0.member("editedAt", record.editedAt)
                $0.member("loggedAt", record.loggedAt)
                $0.member("base", document: record.base)
                $0.member("mine", document: record.mine)
                $0.member("theirs", document: record.theirs)
                $0.member("result", document: record.result)
                $0.member("decision", record.decision?.rawValue)
                if let decidedAt = record.decidedAt { $0.member("decidedAt", decidedAt) }
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
#endif
