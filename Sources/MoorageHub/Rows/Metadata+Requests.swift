import MoorageCore
import MoorageWire

/// A request of this name was carried out before.
struct RepeatedRequest: Error {
    let answer: [UInt8]
}

/// Requests that are carried out once, with their answers.
extension Metadata {
    /// How long an answer is kept.
    private static let keptFor: Int64 = 86_400_000
    /// A larger answer is not kept: the database would not take it, or soon be full of answers.
    private static let mostBytes = 1_000_000
    /// Old answers that are forgotten after a new one.
    private static let forgottenAtOnce = 20

    /// Checks that no request of this name was carried out.
    ///
    /// - Throws: As ``begin(_:of:now:)``, and ``HubError`` `notAttached` where an older version
    ///   attached the database.
    func checkUnknown(_ name: RequestName, of replica: String, now: HubTime) throws {
        guard try connection.hasOwnTable("moorage_request") else {
            throw HubError.noRequestTable
        }
        if let answer = try stored(name, of: replica)?.answer(to: name, now: now) {
            throw RepeatedRequest(answer: answer)
        }
    }

    /// Begins a request, in the transaction that carries it out. Another one of the same name waits
    /// here until that transaction ends.
    ///
    /// - Throws: ``RepeatedRequest`` for a name whose request was carried out within a day,
    ///   ``RowProblem`` where that request was another one.
    func begin(_ name: RequestName, of replica: String, now: HubTime) throws {
        let id = Value.text(Self.id(name, of: replica))
        if let stored = try stored(name, of: replica) {
            if let answer = try stored.answer(to: name, now: now) {
                throw RepeatedRequest(answer: answer)
            }
            _ = try connection.run("DELETE FROM moorage_request WHERE id = ?", [id])
        }
        do {
            _ = try connection.run(
                """
                INSERT INTO moorage_request (id, replica, fingerprint, answer, requested_at)
                VALUES (?, ?, ?, NULL, ?)
                """, [id, .text(replica), .text(name.fingerprint), .time(now)])
        } catch let error as CentralError {
            guard case .refused(let refusal) = error.kind, refusal.code == .unique else {
                throw error
            }
            // The other one is over: the next try finds its answer.
            throw CentralError.requestedMeanwhile
        }
    }

    /// Stores the answer of a request that was begun.
    ///
    /// - Throws: ``RowProblem`` for an answer that is too large to be kept.
    func end(_ name: RequestName, of replica: String, _ answer: [UInt8]) throws {
        guard answer.count <= Self.mostBytes else {
            throw RowProblem.tooLargeToRepeat(most: Self.mostBytes)
        }
        _ = try connection.run(
            "UPDATE moorage_request SET answer = ? WHERE id = ?",
            [.text(Base64.encode(answer)), .text(Self.id(name, of: replica))])
    }

    private struct Stored {
        let fingerprint: String
        let answer: String?
        let requestedAt: HubTime

        /// - Returns: `nil` for an answer that is too old.
        func answer(to name: RequestName, now: HubTime) throws -> [UInt8]? {
            guard now.milliseconds(since: requestedAt) <= keptFor else { return nil }
            guard fingerprint.hasSameBytes(as: name.fingerprint) else {
                throw RowProblem.otherRequest
            }
            return answer.flatMap { Base64.decode($0) }
        }
    }

    private func stored(_ name: RequestName, of replica: String) throws -> Stored? {
        let rows = try connection.run(
            "SELECT fingerprint, answer, requested_at FROM moorage_request WHERE id = ?",
            [.text(Self.id(name, of: replica))])
        guard let row = rows.first, row.count == 3, case .text(let fingerprint) = row[0],
            case .integer(let time) = row[2]
        else { return nil }
        var answer: String?
        if case .text(let text) = row[1] { answer = text }
        return Stored(
            fingerprint: fingerprint, answer: answer, requestedAt: HubTime(milliseconds: time))
    }

    /// Forgets some answers that are too old, in a transaction of its own. By their ids, so that
    /// it waits for no request that is being carried out. A failure matters to nobody: the next
    /// request tries again.
    func forgetRequests(now: HubTime) {
        _ = try? connection.writing { try forgetRequests(now: now, limit: Self.forgottenAtOnce) }
    }

    /// - Returns: How many; fewer than `limit` when none is left.
    func forgetRequests(now: HubTime, limit: Int) throws -> Int {
        let rows = try connection.run(
            """
            SELECT id FROM moorage_request WHERE requested_at < ? ORDER BY requested_at, id LIMIT ?
            """, [.time(now - Self.keptFor), .integer(Int64(limit))])
        for row in rows {
            _ = try connection.run("DELETE FROM moorage_request WHERE id = ?", row)
        }
        return rows.count
    }

    private static func id(_ name: RequestName, of replica: String) -> String {
        "\(replica)/\(name.key)"
    }
}
