import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire

/// Carries out the changes of a client that tracks nothing.
extension RESTService {
    func synchronise(
        _ request: RESTRequest, _ memory: BodyMemory, for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try QueryParameters(request.query, [])
        _ = try request.bodyType(among: [.json])
        _ = try request.answerType(among: [.json])
        try Preconditions.refuse(in: request)
        let body = try SynchroniseBody(request.document(memory))
        let name = try RequestName(request)
        let written = try await write(body, once: name, ReturnPreference(request), for: principal)
        // A request of which nothing was written reads nothing.
        guard written.status == 200 else { return written }
        let gets: [[UInt8]]
        do {
            gets = try await rows(body, for: principal)
        } catch is CancellationError where body.hasWrites {
            throw RESTProblem.tooSlowAfterWriting
        }
        let answer = SynchroniseAnswer(
            body.tables.map(\.name), SynchroniseAnswer.lists(written.body), gets: gets)
        return RESTResponse(
            status: 200, headers: written.headers,
            body: JSONWriter.document { writer in
                writer.object {
                    $0.name("tables")
                    $0.encoded(answer.tables)
                }
            })
    }

    /// - Returns: The answer to the writes, which is stored with them. A repeated request gets the
    ///   first one.
    private func write(
        _ body: SynchroniseBody, once name: RequestName?, _ preference: ReturnPreference?,
        for principal: Principal?
    ) async throws -> RESTResponse {
        guard body.hasWrites else {
            return .json(headers: preference.map { [$0.header] } ?? []) { _ in }
        }
        let planned = Locked<SynchronisePlan?>(nil)
        let bytes = try await hub.writeRows(for: principal, once: name) { schema in
            let plan = try SynchronisePlan(body, in: schema)
            planned.withLock { $0 = plan }
            return RowBatch(plan.writes, isAllOrNothing: body.isAllOrNothing)
        } answer: { _, results in
            guard let plan = planned.withLock({ $0 }) else { throw HubError.answeredBeforeWork }
            return plan.answer(results, preference).encoded()
        }
        return try RESTResponse(decoding: bytes)
    }

    /// Reads after the writes, so that a repeated request gets the rows as they are now.
    private func rows(
        _ body: SynchroniseBody, for principal: Principal?
    ) async throws -> [[UInt8]] {
        if body.tables.allSatisfy(\.get.isEmpty) { return [] }
        return try await hub.readRows(for: principal) { reader in
            var getting = RowGetting(reader)
            return try body.tables.map { try getting.answer($0) }
        }
    }
}
