import MoorageCore
import MoorageHub
import MoorageWire

/// Answers requests that write one row.
extension RESTService {
    /// The row in the body of a request.
    func row(
        _ request: RESTRequest, _ memory: BodyMemory, among types: [MediaType]
    ) throws -> WrittenRow {
        let type = try request.bodyType(among: types)
        let document = try request.document(memory)
        return type == .mergePatch ? .mergePatch(document) : .document(document)
    }

    func write(
        _ kind: RowWrite.Kind, _ path: RowPath, _ row: WrittenRow, _ request: RESTRequest,
        for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try QueryParameters(request.query, [])
        let write = WriteRequest(
            kind: kind, table: path.table, key: .path(path.key), row: row,
            precondition: try Preconditions(request).ofWrite())
        return try await self.write(write, request, for: principal)
    }

    func write(
        _ write: WriteRequest, _ request: RESTRequest, for principal: Principal?
    ) async throws -> RESTResponse {
        if write.kind != .delete { _ = try request.answerType(among: [.json]) }
        let preference = ReturnPreference(request)
        let bytes = try await hub.writeRows(for: principal, once: RequestName(request)) { schema in
            var tables = WrittenTables(schema)
            // A write that is refused by itself leaves nothing to undo.
            return RowBatch([try write.write(in: &tables)], isAllOrNothing: false)
        } answer: { schema, results in
            guard let result = results.first else { throw HubError.noResult }
            let table = try schema.offeredTable(named: write.table)
            return WriteAnswer(write.kind, table, preference).response(result).encoded()
        }
        return try RESTResponse(decoding: bytes)
    }
}

/// Makes the answer to a write of one row.
private struct WriteAnswer {
    private let kind: RowWrite.Kind
    private let table: RowTable
    private let preference: ReturnPreference?

    init(_ kind: RowWrite.Kind, _ table: RowTable, _ preference: ReturnPreference?) {
        self.kind = kind
        self.table = table
        self.preference = preference
    }

    func response(_ result: RowResult) -> RESTResponse {
        switch result {
        case .refused(let problem): return RESTResponse(RESTProblem(problem))
        case .deleted, .changed(nil): return RESTResponse(status: 204)
        case .changed(let row?): return response(row, status: preference == .minimal ? 204 : 200)
        case .created(let row):
            let key = table.description.key(of: row.values)
            return response(row, status: 201, [("Location", table.description.path(of: key))])
        }
    }

    private func response(
        _ row: RowContent, status: Int, _ headers: [(name: String, value: String)] = []
    ) -> RESTResponse {
        var headers = headers
        if let preference { headers.append(preference.header) }
        let tag = EntityTag.header(of: row.etag)
        guard preference == .minimal else {
            return .json(status: status, headers: headers + [tag]) {
                RowForm(table).write(row, to: &$0)
            }
        }
        // The rules may have made another row of what a `PUT` sent. A version without its row would
        // mean the row that was sent (RFC 9110, 9.3.4).
        if kind != .replace { headers.append(tag) }
        return RESTResponse(status: status, headers: headers)
    }
}

extension HubError {
    fileprivate static let noResult = HubError(
        .internalError, "The hub did not say what became of a write. Please report this.")
}
