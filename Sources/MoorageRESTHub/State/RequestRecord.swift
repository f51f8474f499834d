import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageWire

/// A request that was sent for a row, until the replica has its outcomes.
///
/// - K3: It is stored before it is sent. Whether an unanswered one arrived is found out before the
///   next about its row.
/// - K4: Its outcomes are stored, until the replica has those of the whole batch.
struct RequestRecord: Sendable {
    /// The replica and its batch.
    let replica: String
    let number: Int64
    /// ``PushUnit/fingerprint``
    let changes: String
    /// The idempotency key.
    let name: String
    let isInsert: Bool
    /// The row as it was sent, with the device's ids; `nil` for a deletion.
    let body: [UInt8]?
    /// The row that it was merged with; `nil` for none.
    let theirs: [UInt8]?
    /// Who sent it, and when: ``RequestOwner``.
    let owner: String
    let sentAt: Int64
    /// Whether the server's answer is known.
    var isDone = false
    /// In the order of the unit's changes.
    var outcomes: [Outcome] = []
    /// The row afterwards; `nil` for none.
    var answer: [UInt8]?
    var etag: String?
    /// The key that the row has at the server.
    var newKey: RowKey?

    /// Whether a server may still work on it.
    func isRecent(at now: Int64) -> Bool {
        let age = now.subtractingReportingOverflow(sentAt)
        return !age.overflow && (0..<Int64(RequestOwner.longest)).contains(age.partialValue)
    }

    /// Differs for each request of each owner, and for its answer.
    var mark: String { "\(owner) \(sentAt) \(name) \(isDone)" }
}

extension RESTRecords {
    func request(of row: RowName) throws -> RequestRecord? {
        let sql = "SELECT * FROM \(ServerTable.request) WHERE tbl = ? AND key = ?"
        guard
            let found = try Row.fetchOne(
                db, sql: sql, arguments: [row.table, row.key.values.jsonText()])
        else { return nil }
        func bytes(_ column: String) -> [UInt8]? {
            (found[column] as Data?).map { [UInt8]($0) }
        }
        return RequestRecord(
            replica: found["replica"], number: found["number"], changes: found["changes"],
            name: found["name"], isInsert: found["is_insert"], body: bytes("body"),
            theirs: bytes("theirs"), owner: found["owner"], sentAt: found["sent_at"],
            isDone: found["done"],
            outcomes: try bytes("outcomes").map(Self.outcomes) ?? [], answer: bytes("answer"),
            etag: found["etag"], newKey: (found["new_key"] as String?).flatMap(Self.key))
    }

    func setRequest(_ request: RequestRecord, of row: RowName) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO \(ServerTable.request)(
                  tbl, key, replica, number, changes, name, is_insert, body, theirs, owner, sent_at,
                  done, outcomes, answer, etag, new_key)
                VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                row.table, row.key.values.jsonText(), request.replica, request.number,
                request.changes, request.name, request.isInsert, request.body.map { Data($0) },
                request.theirs.map { Data($0) }, request.owner, request.sentAt, request.isDone,
                Data(Self.encoded(request.outcomes)), request.answer.map { Data($0) },
                request.etag, request.newKey?.values.jsonText(),
            ])
    }

    func forgetRequest(of row: RowName) throws {
        try db.execute(
            sql: "DELETE FROM \(ServerTable.request) WHERE tbl = ? AND key = ?",
            arguments: [row.table, row.key.values.jsonText()])
    }

    /// Forgets the requests of batches whose outcomes the replica has, and those of other replicas:
    /// the file was emptied since.
    func forgetAnswered(_ request: ExchangeRequest) throws {
        try db.execute(
            sql: """
                DELETE FROM \(ServerTable.request)
                WHERE (replica = ?1 AND number <= ?2) OR (replica <> ?1 AND replica IS NOT ?3)
                """,
            arguments: [request.replica, request.answered, request.formerly])
        try db.execute(
            sql: "DELETE FROM \(ServerTable.unmade) WHERE number <= ?",
            arguments: [request.answered])
    }

    private static func encoded(_ outcomes: [Outcome]) -> [UInt8] {
        Frame.outcomes(Outcomes(number: 1, status: .applied, outcomes: outcomes)).encoded()
    }

    private static func outcomes(_ bytes: [UInt8]) throws -> [Outcome] {
        guard case .outcomes(let read) = try Frame(decoding: bytes) else { return [] }
        return read.outcomes
    }
}
