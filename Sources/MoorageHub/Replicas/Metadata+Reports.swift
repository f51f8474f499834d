import MoorageCore
import MoorageWire

/// What replicas said of themselves, the last report of each.
extension Metadata {
    /// Records a report in place of the one before it. Call it inside a write transaction.
    ///
    /// - Parameter tables: What the exchange with the report asked for.
    /// - Throws: ``CentralError`` `refused` where another transaction records the replica's first
    ///   report.
    func record(
        _ report: DeviceReport, asking tables: [TableColumns], of replica: String, at now: HubTime
    ) throws {
        let known = try connection.run(
            "SELECT replica FROM moorage_report WHERE replica = ?", [.text(replica)])
        let sql =
            known.isEmpty
            ? "INSERT INTO moorage_report (report, reported_at, replica) VALUES (?, ?, ?)"
            : "UPDATE moorage_report SET report = ?, reported_at = ? WHERE replica = ?"
        let text = String(
            decoding: report.encoded { ReportedTables.write(tables, to: &$0) }, as: UTF8.self)
        _ = try connection.run(sql, [.text(text), .time(now), .text(replica)])
    }

    /// The reports of some replicas, by replica. A report that this version cannot read is left
    /// out.
    func reports(of replicas: [String]) throws -> [String: StoredReport] {
        if replicas.isEmpty { return [:] }
        let places = replicas.map { _ in "?" }.joined(separator: ", ")
        let rows = try connection.run(
            "SELECT replica, report FROM moorage_report WHERE replica IN (\(places))",
            replicas.map(Value.text))
        var reports: [String: StoredReport] = [:]
        for row in rows {
            guard case .text(let id)? = row.first, case .text(let text)? = row.last else {
                continue
            }
            reports[id] = try? StoredReport(text)
        }
        return reports
    }

    /// When each replica reported last.
    func reportTimes() throws -> [(replica: String, at: HubTime)] {
        try connection.run("SELECT replica, reported_at FROM moorage_report", []).compactMap {
            guard case .text(let id)? = $0.first, case .integer(let time)? = $0.last else {
                return nil
            }
            return (id, HubTime(milliseconds: time))
        }
    }

    /// Forgets reports from before a time, except those of replicas that came since.
    ///
    /// - Returns: How many; fewer than `limit` when none is left.
    func forgetReports(before time: HubTime, limit: Int) throws -> Int {
        // Nested, because not every database accepts a delete by a query with a limit.
        let old = """
            SELECT replica FROM (
              SELECT p.replica FROM moorage_report AS p
              WHERE p.reported_at < ?
                AND NOT EXISTS (
                  SELECT 1 FROM moorage_registration AS r
                  WHERE r.replica = p.replica AND r.seen_at >= ?)
                AND NOT EXISTS (
                  SELECT 1 FROM moorage_replica AS b WHERE b.id = p.replica AND b.seen_at >= ?)
              ORDER BY p.reported_at, p.replica LIMIT ?) AS o
            """
        let arguments: [Value] = [
            .time(time), .time(time), .time(time), .integer(Int64(limit)),
        ]
        let answer = try connection.run("SELECT count(*) FROM (\(old)) AS c", arguments)
        guard case .integer(let count)? = answer.first?.first, count > 0 else { return 0 }
        _ = try connection.run(
            "DELETE FROM moorage_report WHERE replica IN (\(old))", arguments)
        return Int(clamping: count)
    }
}
