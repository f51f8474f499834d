import MoorageCore
package import MoorageHub

/// Describes what a user may do.
extension RESTService {
    /// The tables that a user may read and what the user may do with them, as OpenAPI 3.1.
    ///
    /// - Parameter principal: `nil` for a program without a user.
    package func openAPIDocument(for principal: Principal?) async throws -> [UInt8] {
        let hasEvents = hub.offersChangeStreams
        let document = try await hub.readRows(for: principal) { reader in
            OpenAPIDocument(reader.schema, details: reader.details(), hasEvents: hasEvents)
                .encoded()
        }
        // An interruption only costs the details, and the document would go out without them.
        try Task.checkCancellation()
        return document
    }

    func openAPI(
        _ request: RESTRequest, for principal: Principal?
    ) async throws -> RESTResponse {
        _ = try QueryParameters(request.query, [])
        _ = try request.answerType(among: [.json])
        let preconditions = try Preconditions(request)
        let document = try await openAPIDocument(for: principal)
        var fingerprint = Fingerprint()
        fingerprint.add(document)
        let etag = fingerprint.hex
        let tag = EntityTag.header(of: etag)
        switch preconditions.verdict(on: etag) {
        case .met:
            return RESTResponse(
                status: 200, headers: [("Content-Type", MediaType.json.rawValue), tag],
                body: document)
        case .changed: throw RESTProblem.documentChanged
        case .notModified: return RESTResponse(status: 304, headers: [tag])
        }
    }
}
