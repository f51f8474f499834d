import MoorageCore
import MoorageHub

/// Answers how the rows of a client differ from the hub's.
extension RESTService {
    func manifest(
        _ request: RESTRequest, _ memory: BodyMemory, for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try QueryParameters(request.query, [])
        _ = try request.bodyType(among: [.json])
        _ = try request.answerType(among: [.json])
        try Preconditions.refuse(in: request)
        let body = try ManifestBody(request.document(memory))
        let answers = try await hub.readRows(for: principal) { reader in
            var reading = ManifestReading(reader)
            return try body.tables.map { try reading.answer($0) }
        }
        return .json {
            $0.object {
                $0.name("tables")
                $0.object { for answer in answers { answer.write(to: &$0) } }
            }
        }
    }
}
