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
    /// Old answers that are forgotten with each new one.
    private static let forgottenAtOnce = 10

    /// Checks that no request of this name was carried out.
    ///
    /// - Throws: As ``begin(_:of:now:)``, and ``HubError`` `notAttached` where an older version
    ///   attached the database.
    func checkUnknown(_ name: RequestName, of replica: String) throws {
        guard try connection.hasOwnTable("moorage_request") else {
            throw HubError.noRequestTable
        }
        if let answer = try answer(to: name, of: replica) { throw RepeatedRequest(answer: answer) }
    }

    /// Begins a request, in the transaction that carries it out. Another one of the same name waits
    /// here until that transaction ends.
    ///
    /// - Throws: ``RepeatedRequest`` for a name whose request was carried out, ``RowProblem`` where
    ///   that request was another one.
    func begin(_ name: RequestName, of replica: String, now: HubTime) throws {
        _ = try forget(
            ["id"], of: "moorage_request", where: "requested_at", isBefore: now - Self.keptFor,
            limit: Self.forgottenAtOnce)
        let id = Value.text(Self.id(name, of: replica))
        if let answer = try answer(to: name, of: replica) { throw RepeatedRequest(answer: answer) }
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
    func end(_ name: RequestName, of replica: String, _ answer: [UInt8]) throws {
        _ = try connection.run(
            "UPDATE moorage_request SET answer = ? WHERE id = ?",
            [.text(Base64.encode(answer)), .text(Self.id(name, of: replica))])
    }

    private func answer(to name: RequestName, of replica: String) throws -> [UInt8]? {
        let rows = try connection.run(
            "SELECT fingerprint, answer FROM moorage_request WHERE id = ?",
            [.text(Self.id(name, of: replica))])
        guard let row = rows.first, row.count == 2, case .text(let fingerprint) = row[0] else {
            return nil
        }
        guard fingerprint.hasSameBytes(as: name.fingerprint) else {
            throw RowProblem.otherRequest
        }
        guard case .text(let text) = row[1] else { return nil }
        return Base64.decode(text)
    }

    private static func id(_ name: RequestName, of replica: String) -> String {
        "\(replica)/\(name.key)"
    }
}
