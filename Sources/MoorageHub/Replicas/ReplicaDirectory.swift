import MoorageCore
import MoorageWire

/// The owner's list of replicas.
struct ReplicaDirectory {
    let connection: any CentralConnection
    private var metadata: Metadata { Metadata(connection: connection) }

    /// The replicas that came with a user, that pushed, or that said something of themselves; the
    /// last seen first.
    ///
    /// - Parameters:
    ///   - prefix: Only ids that begin with it; empty for all.
    ///   - subject: Only those of one user.
    func list(prefix: String = "", subject: String? = nil, limit: Int) throws -> [ReplicaSummary] {
        // Only these are read with their reports, because a report may be long.
        let replicas = try known(prefix: prefix, subject: subject).prefix(limit)
        var result: [ReplicaSummary] = []
        try forEach(Array(replicas)) { replica, _ in result.append(replica) }
        return result
    }

    /// The same replicas without their reports.
    func known(prefix: String = "", subject: String? = nil) throws -> [ReplicaSummary] {
        var found: [String: ReplicaSummary] = [:]
        let registered = try connection.run(
            """
            SELECT replica, subject, standing, registered_at, seen_at FROM moorage_registration
            \(subject == nil ? "" : "WHERE subject = ? ")ORDER BY seen_at DESC
            """, subject.map { [.text($0)] } ?? [])
        for row in registered {
            guard row.count == 5, case .text(let id) = row[0], id.hasPrefix(prefix) else {
                continue
            }
            found[id] = ReplicaSummary(
                id: id, subject: row[1].plainText,
                standing: row[2].plainText.flatMap(ReplicaStanding.init) ?? .revoked,
                registeredAt: row[3].time, seenAt: row[4].time, lastBatch: 0)
        }
        let pushed = try connection.run(
            """
            SELECT id, last_batch, registered_at, seen_at FROM moorage_replica ORDER BY seen_at DESC
            """, [])
        for row in pushed {
            guard row.count == 4, case .text(let id) = row[0], id.hasPrefix(prefix) else {
                continue
            }
            let known = found[id]
            if subject != nil, known == nil { continue }
            found[id] = ReplicaSummary(
                id: id, subject: known?.subject, standing: known?.standing ?? .active,
                registeredAt: min(known?.registeredAt ?? row[2].time, row[2].time),
                seenAt: max(known?.seenAt ?? 0, row[3].time), lastBatch: row[1].number)
        }
        for (id, time) in try metadata.reportTimes() where id.hasPrefix(prefix) {
            let known = found[id]
            if subject != nil, known == nil { continue }
            found[id] = ReplicaSummary(
                id: id, subject: known?.subject, standing: known?.standing ?? .active,
                registeredAt: known?.registeredAt ?? time, seenAt: max(known?.seenAt ?? 0, time),
                lastBatch: known?.lastBatch ?? 0, reportedAt: time)
        }
        return found.values.sorted { ($1.seenAt, $0.id) < ($0.seenAt, $1.id) }
    }

    /// How many reports one query reads. Each may have a long list of tables.
    private static let reportsAtOnce = 25

    /// Goes through replicas with their reports, and with what else is stored of these.
    func forEach(
        _ replicas: [ReplicaSummary], _ body: (ReplicaSummary, StoredReport?) throws -> Void
    ) throws {
        for first in stride(from: 0, to: replicas.count, by: Self.reportsAtOnce) {
            let part = replicas[first..<min(replicas.count, first + Self.reportsAtOnce)]
            let reports = try metadata.reports(
                of: part.filter { $0.reportedAt != nil }.map(\.id))
            for var replica in part {
                let stored = reports[replica.id]
                replica.report = stored?.report
                try body(replica, stored)
            }
        }
    }

    /// Call it inside a write transaction.
    func set(_ standing: ReplicaStanding, of replica: String, now: HubTime) throws {
        if try metadata.registration(of: replica) == nil {
            let registration = Registration(subject: nil, standing: standing, seenAt: 0)
            try metadata.register(replica, registration, now: now)
        } else {
            try metadata.setStanding(replica, standing, at: now)
        }
    }
}

extension Value {
    fileprivate var plainText: String? { if case .text(let text) = self { text } else { nil } }

    fileprivate var number: Int64 { if case .integer(let number) = self { number } else { 0 } }

    fileprivate var time: HubTime { HubTime(milliseconds: number) }
}
