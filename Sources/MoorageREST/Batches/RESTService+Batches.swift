import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire

/// Answers requests that write several rows.
extension RESTService {
    func batch(
        _ request: RESTRequest, _ memory: BodyMemory, for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try QueryParameters(request.query, [])
        _ = try request.bodyType(among: [.json])
        let document = try BatchDocument(request.document(memory))
        return try await write(
            BatchBody(operations: document.operations), request,
            isAllOrNothing: document.isAllOrNothing, for: principal)
    }

    /// Inserts a row, or several rows as a batch.
    func insert(
        into table: String, _ request: RESTRequest, _ memory: BodyMemory,
        for principal: Principal?
    ) async throws -> RESTResponse {
        let parameters = try QueryParameters(request.query, [.upsert, .atomic])
        let kind: RowWrite.Kind = try parameters.flag(.upsert) == true ? .upsert : .insert
        let isAllOrNothing = try parameters.flag(.atomic) ?? true
        let body: BatchBody
        switch try request.bodyType(among: [.json, .csv]) {
        case .csv:
            let rows = try CSVRows(request.body, memory, most: BatchBody.mostWrites)
            body = .csv(rows, kind, table: table)
        case .json, .mergePatch, .events:
            let document = try request.document(memory)
            guard case .array(let rows) = document else {
                try Preconditions.refuse(in: request)
                return try await write(
                    WriteRequest(kind: kind, table: table, row: .document(document)), request,
                    for: principal)
            }
            body = try BatchBody(rows: rows, kind, table: table)
        }
        return try await write(body, request, isAllOrNothing: isAllOrNothing, for: principal)
    }

    private func write(
        _ body: BatchBody, _ request: RESTRequest, isAllOrNothing: Bool,
        for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try request.answerType(among: [.json])
        try Preconditions.refuse(in: request)
        let preference = ReturnPreference(request)
        let planned = Locked<BatchPlan?>(nil)
        let bytes = try await hub.writeRows(for: principal, once: RequestName(request)) { schema in
            let plan = try BatchPlan(body, isAllOrNothing: isAllOrNothing, in: schema)
            planned.withLock { $0 = plan }
            return RowBatch(plan.writes, isAllOrNothing: isAllOrNothing)
        } answer: { _, results in
            guard let plan = planned.withLock({ $0 }) else { throw HubError.answeredBeforeWork }
            return plan.answer(results, preference).encoded()
        }
        return try RESTResponse(decoding: bytes)
    }
}

extension HubError {
    static let answeredBeforeWork = HubError(
        .internalError, "The hub answered a request before it was read. Please report this.")
}
