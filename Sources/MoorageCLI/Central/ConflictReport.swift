#if Server
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
                func optional(_ name: String, _ text: String?, _ writer: inout JSONWriter) {
                    writer.name(name)
                    if let text { writer.string(text) } else { writer.null() }
                }
                func document(_ name: String, _ text: String?, _ writer: inout JSONWriter) {
                    writer.name(name)
                    if let text, let json = try? JSON(parsing: Array<UInt8>(text.utf8)) {
                        writer.json(json)
                    } else {
                        writer.null()
                    }
                }
                func integer(_ name: String, _ number: Int64, _ writer: inout JSONWriter) {
                    writer.name(name)
                    writer.integer(number)
                }
                optional("id", record.id, &$0)
                optional("table", record.table, &$0)
                document("key", record.key, &$0)
                optional("kind", record.kind, &$0)
                optional("rule", record.rule, &$0)
                optional("code", record.reasonCode, &$0)
                optional("reason", record.reason, &$0)
                optional("replica", record.replica, &$0)
                integer("batch", record.batch, &$0)
                integer("editedAt", record.editedAt, &$0)
                integer("loggedAt", record.loggedAt, &$0)
                document("base", record.base, &$0)
                document("mine", record.mine, &$0)
                document("theirs", record.theirs, &$0)
                document("result", record.result, &$0)
                optional("decision", record.decision?.rawValue, &$0)
                if let decidedAt = record.decidedAt { integer("decidedAt", decidedAt, &$0) }
            }
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }
#endif
