import MoorageCore

/// Reads the conflict log, and the decisions about it.
extension Metadata {
    /// Newest first.
    func conflicts(_ filter: ConflictFilter, limit: Int) throws -> [ConflictRecord] {
        let (conditions, arguments) = filter.conditions
        return try records(
            "\(conditions) ORDER BY c.logged_at DESC, c.id DESC LIMIT ?",
            arguments + [.integer(Int64(limit))])
    }

    /// The lines whose id begins with `prefix`. Two are enough, because the caller looks for one.
    func conflicts(id prefix: String) throws -> [ConflictRecord] {
        // Ids consist of hexadecimal digits and hyphens; `~` sorts after all of these.
        try records(
            "c.id >= ? AND c.id < ? ORDER BY c.id LIMIT 2", [.text(prefix), .text(prefix + "~")])
    }

    func set(_ decision: ConflictDecision, about id: String, at time: HubTime) throws {
        _ = try connection.run(
            "INSERT INTO moorage_decision (id, decision, decided_at) VALUES (?, ?, ?)",
            [.text(id), .text(decision.rawValue), .time(time)])
    }

    /// Deletes conflicts that were logged before a time, with the decisions about them.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func forgetConflicts(before time: HubTime, limit: Int) throws -> Int {
        try forget(
            ["id"], of: "moorage_conflict", where: "logged_at", isBefore: time, limit: limit,
            with: ["moorage_decision"])
    }

    private func records(_ rest: String, _ arguments: [Value]) throws -> [ConflictRecord] {
        let rows = try connection.run(
            """
            SELECT c.id, c.replica, c.batch, c.table_name, c.row_key, c.kind, c.rule, c.base,
                   c.mine, c.theirs, c.result, c.reason_code, c.reason, c.edited_at, c.logged_at,
                   d.decision, d.decided_at
            FROM moorage_conflict c LEFT JOIN moorage_decision d ON d.id = c.id
            WHERE \(rest)
            """, arguments)
        return rows.compactMap { row in
            guard row.count == 17 else { return nil }
            func text(_ index: Int) -> String? {
                if case .text(let text) = row[index] { text } else { nil }
            }
            func integer(_ index: Int) -> Int64? {
                if case .integer(let number) = row[index] { number } else { nil }
            }
            return ConflictRecord(
                id: text(0) ?? "", replica: text(1) ?? "", batch: integer(2) ?? 0,
                table: text(3) ?? "", key: text(4) ?? "", kind: text(5) ?? "", rule: text(6),
                base: text(7), mine: text(8), theirs: text(9), result: text(10),
                reasonCode: text(11), reason: text(12),
                editedAt: HubTime(milliseconds: integer(13) ?? 0),
                loggedAt: HubTime(milliseconds: integer(14) ?? 0),
                decision: text(15).flatMap(ConflictDecision.init(rawValue:)),
                decidedAt: integer(16).map(HubTime.init(milliseconds:)))
        }
    }
}
