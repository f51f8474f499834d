package import MoorageCore
import MoorageWire

/// What nobody has passed on yet of the conflict log.
package struct NoticeReading: Hashable, Sendable {
    /// The oldest first.
    package var notices: [HubNotice]
    /// From when on the log was read. What a process has passed on from before may be forgotten.
    package let since: HubTime
    /// Up to when everything is passed on once these notices are.
    package let until: HubTime
}

/// The conflict log as notices, with the point up to which they were passed on.
struct ConflictNotices {
    let metadata: Metadata
    private var connection: any CentralConnection { metadata.connection }

    /// Rows of `moorage_meta`.
    private static let position = "notices_at"
    private static let lease = "notices_by"
    /// How long a process may be silent before another one goes on.
    private static let leaseTime: Int64 = 30_000
    /// A push that took long commits lines with earlier times than those that were read.
    static let window: Int64 = 180_000

    func read(
        for holder: String, without known: Set<String>, limit: Int
    ) throws -> NoticeReading? {
        let now = try connection.now()
        guard try claim(for: holder, now: now) else { return nil }
        guard let passedOn = try passedOn() else {
            try connection.writing { try metadata.set(Self.position, now.text) }
            return NoticeReading(notices: [], since: now, until: now)
        }
        let since = passedOn + -Self.window
        let lines = try lines(since: since, limit: limit + known.count)
        let notices = Array(lines.filter { !known.contains($0.id) }.prefix(limit))
        // Nothing that is committed is left out then.
        let isWhole = lines.count < limit + known.count
        let until = isWhole ? now : notices.last?.time ?? passedOn
        return NoticeReading(notices: notices, since: since, until: until)
    }

    func set(_ time: HubTime, by holder: String) throws {
        try connection.writing {
            try lock()
            guard try owner().name == holder, try passedOn().map({ $0 < time }) ?? true else {
                return
            }
            try metadata.set(Self.position, time.text)
        }
    }

    func release(_ holder: String) throws {
        try connection.writing {
            try lock()
            guard try owner().name == holder else { return }
            try metadata.set(Self.lease, "0 \(holder)")
        }
    }

    private func passedOn() throws -> HubTime? {
        try metadata.value(Self.position).flatMap(Int64.init).map(HubTime.init(milliseconds:))
    }

    /// - Returns: Whether this process passes notices on.
    private func claim(for holder: String, now: HubTime) throws -> Bool {
        let (owner, until) = try owner()
        if owner == holder, until > now + Self.leaseTime / 2 { return true }
        return try connection.writing {
            try lock()
            let (owner, until) = try self.owner()
            guard owner == holder || until <= now else { return false }
            try metadata.set(Self.lease, "\((now + Self.leaseTime).text) \(holder)")
            return true
        }
    }

    /// Makes other processes wait for the end of the transaction.
    private func lock() throws {
        _ = try connection.run(
            "UPDATE moorage_meta SET value = value WHERE name = ?", [.text(Self.lease)])
    }

    private func owner() throws -> (name: String?, until: HubTime) {
        let parts = try metadata.value(Self.lease)?.split(separator: " ", maxSplits: 1) ?? []
        guard parts.count == 2, let until = Int64(parts[0]) else { return (nil, 0) }
        return (String(parts[1]), HubTime(milliseconds: until))
    }

    private func lines(since time: HubTime, limit: Int) throws -> [HubNotice] {
        let rows = try connection.run(
            """
            SELECT c.id, c.replica, c.table_name, c.kind, c.rule, c.reason_code, c.logged_at,
                   r.subject
            FROM moorage_conflict c LEFT JOIN moorage_registration r ON r.replica = c.replica
            WHERE c.logged_at >= ? ORDER BY c.logged_at, c.id LIMIT ?
            """, [.time(time), .integer(Int64(limit))])
        return rows.compactMap { row in
            guard row.count == 8, case .text(let id) = row[0], case .text(let replica) = row[1],
                case .text(let kind) = row[3], case .integer(let time) = row[6]
            else { return nil }
            func text(_ index: Int) -> String? {
                if case .text(let text) = row[index] { text } else { nil }
            }
            return HubNotice(
                id: id, kind: kind == Conflict.Kind.refused.rawValue ? .refused : .conflict,
                replica: replica, user: text(7), table: text(2), reason: text(5) ?? text(4),
                time: HubTime(milliseconds: time))
        }
    }
}

extension HubTime {
    fileprivate var text: String { String(milliseconds) }
}
