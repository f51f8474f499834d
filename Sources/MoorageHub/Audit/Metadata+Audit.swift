import MoorageCore

extension Metadata {
    func log(_ record: AuditRecord) throws {
        func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
        _ = try connection.run(
            """
            INSERT INTO moorage_audit
              (id, at, subject, replica, batch, table_name, row_key, operation, columns, outcome)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(record.id), .time(record.at), optional(record.subject),
                .text(record.replica), .integer(record.batch), .text(record.table),
                .text(record.key), .text(record.operation), optional(record.columns),
                .text(record.outcome),
            ])
    }

    /// Newest first.
    func audit(_ filter: AuditFilter, limit: Int) throws -> [AuditRecord] {
        var conditions = ["1 = 1"]
        var arguments: [Value] = []
        func add(_ condition: String, _ value: Value?) {
            guard let value else { return }
            conditions.append(condition)
            arguments.append(value)
        }
        add("subject = ?", filter.subject.map(Value.text))
        add("replica = ?", filter.replica.map(Value.text))
        add("table_name = ?", filter.table.map(Value.text))
        add("row_key = ?", filter.key.map(Value.text))
        add("at >= ?", filter.since.map { .time($0) })
        let rows = try connection.run(
            """
            SELECT id, at, subject, replica, batch, table_name, row_key, operation, columns, outcome
            FROM moorage_audit WHERE \(conditions.joined(separator: " AND "))
            ORDER BY at DESC, id DESC LIMIT ?
            """, arguments + [.integer(Int64(limit))])
        return rows.compactMap { row in
            guard row.count == 10 else { return nil }
            func text(_ index: Int) -> String? {
                if case .text(let text) = row[index] { text } else { nil }
            }
            func integer(_ index: Int) -> Int64 {
                if case .integer(let number) = row[index] { number } else { 0 }
            }
            return AuditRecord(
                id: text(0) ?? "", at: HubTime(milliseconds: integer(1)), subject: text(2),
                replica: text(3) ?? "",
                batch: integer(4), table: text(5) ?? "", key: text(6) ?? "",
                operation: text(7) ?? "", columns: text(8), outcome: text(9) ?? "")
        }
    }

    /// Deletes lines from before a time.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func forgetAudit(before time: HubTime, limit: Int) throws -> Int {
        try forget(["id"], of: "moorage_audit", where: "at", isBefore: time, limit: limit)
    }
}
