public import Foundation
import MoorageCore
import MoorageSupport

/// How one exchange with the hub went: times and counts, without rows, keys and secrets.
public struct ExchangeRecord: Hashable, Sendable, Codable {
    /// What the replica asked for.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Changes of others. It sent none of its own.
        case pull
        /// It sent local changes, and got changes of others.
        case push
        /// What came over a live stream, from its opening to its end. The exchange that opened it
        /// has a record of its own.
        case stream
        /// The hub's tables.
        case schema
        /// Pages of tables to compare, after triggers were lost.
        case compare
    }

    /// What the replica asked for.
    public let kind: Kind
    /// When it began, by the device's clock.
    public let startedAt: Date
    /// How many exchanges it is for, from the first one's start to the last one's end. Failures
    /// of one kind and code that follow each other are one record, and so are compared pages.
    public let count: Int
    /// How long it took, by the device's clock; 0 if the clock was set back meanwhile.
    public let durationMilliseconds: Int64
    /// Bytes of the request's body, compressed if the replica compressed it, without headers and
    /// TLS. They count when the transport gets them. `nil` where nobody counts them, as with a hub
    /// in this process.
    public let bytesSent: Int64?
    /// Bytes of the answer's body as the transport gave them: compressed if the hub compressed
    /// them, unless the transport unpacked them.
    public let bytesReceived: Int64?
    /// Local changes in the request.
    public let changesSent: Int
    /// Rows of the hub that were written.
    public let rowsReceived: Int
    /// Rows that were removed here.
    public let rowsRemoved: Int
    /// Pages of the answer that were applied, or compared.
    public let pages: Int
    /// Why it failed: the raw value of a ``ReplicaError/Code``, or `cancelled`. `nil` if it went
    /// well, and while it lasts.
    public let code: String?
    /// Whether it has not ended yet.
    public let isUnderWay: Bool

    /// The code of an exchange that the app broke off.
    static let cancelled = "cancelled"

    var start: DeviceTime { DeviceTime(startedAt) }
    var end: DeviceTime { start + durationMilliseconds }

    /// Whether rows or changes travelled.
    var movedData: Bool { changesSent > 0 || rowsReceived > 0 || rowsRemoved > 0 }

    /// Whether it says if the hub can be reached. A stream may have been silent for long before its
    /// end.
    var isEvidence: Bool { !isUnderWay && kind != .stream && code != Self.cancelled }

    /// Whether the hub did not do what it was asked for.
    var hasFailed: Bool { code != nil && code != Self.cancelled }
}

extension ExchangeRecord {
    /// Both as one record; `nil` if they stay two. A comparison of a large table has thousands of
    /// pages, and a replica without a network thousands of failures.
    func joined(with next: ExchangeRecord) -> ExchangeRecord? {
        guard kind == next.kind, !isUnderWay, !next.isUnderWay else { return nil }
        let arePages = kind == .compare && code == nil
        guard arePages || hasFailed && code == next.code else { return nil }
        func sum(_ one: Int64?, _ other: Int64?) -> Int64? {
            guard let one, let other else { return nil }
            return one + other
        }
        return ExchangeRecord(
            kind: kind, startedAt: startedAt, count: count + next.count,
            durationMilliseconds: max(0, next.end.milliseconds(since: start)),
            bytesSent: sum(bytesSent, next.bytesSent),
            bytesReceived: sum(bytesReceived, next.bytesReceived),
            changesSent: changesSent + next.changesSent,
            rowsReceived: rowsReceived + next.rowsReceived,
            rowsRemoved: rowsRemoved + next.rowsRemoved, pages: pages + next.pages,
            code: next.code, isUnderWay: false)
    }

    /// Whether it has counted another one already.
    private func contains(_ other: ExchangeRecord) -> Bool {
        self == other
            || !other.isUnderWay && count > 1 && kind == other.kind && code == other.code
                && start <= other.start
                && end >= other.end
    }

    /// What a file has, and what only its process knows: in the order of their ends, and then those
    /// that are under way. A record on its way into the file is in both.
    static func merged(
        _ saved: [ExchangeRecord], _ own: [ExchangeRecord]
    ) -> [ExchangeRecord] {
        let new = own.filter { one in !saved.contains { $0.contains(one) } }
        let ended = (saved + new.filter { !$0.isUnderWay }).sorted { $0.end < $1.end }
        var result: [ExchangeRecord] = []
        for record in ended {
            if let joined = result.last?.joined(with: record) {
                result[result.count - 1] = joined
            } else {
                result.append(record)
            }
        }
        return result + new.filter(\.isUnderWay)
    }
}
