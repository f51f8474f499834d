import Foundation
import Logging
import Moorage
import MoorageCore
import MoorageHub
import MoorageREST
import MoorageSQLite
import MoorageSupport

/// The REST interface of our own hub, as a transport.
final class OwnREST: HTTPTransport {
    private let database: SQLiteDatabase
    private let service: RESTService
    /// Whether the next answer to a method gets lost.
    let losing = Locked<String?>(nil)
    let log = Locked<[String]>([])

    init(_ schema: String) async throws {
        database = try SQLiteDatabase()
        try database.execute(schema)
        let hub = Hub(
            database: database, configuration: HubConfiguration(),
            logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })
        _ = try await hub.attach()
        service = RESTService(hub: hub)
    }

    func sql(_ statement: String) throws { try database.execute(statement) }

    func rows(_ query: String) throws -> [[Value]] {
        try database.perform { try $0.run(query, []) }
    }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        let asked = RESTRequest(
            method: request.method, path: parts?.percentEncodedPath ?? "",
            query: parts?.percentEncodedQuery, headers: request.headers, body: request.body)
        log.withLock { $0.append("\(request.method) \(asked.path)") }
        guard let route = try RESTService.route(method: asked.method, path: asked.path) else {
            return Self.response(RESTResponse(status: 404))
        }
        let answer = try await service.respond(
            to: asked, route: route, for: Principal(subject: "ann"))
        let isLost = losing.withLock { losing in
            defer { if losing == request.method { losing = nil } }
            return losing == request.method
        }
        if isLost { throw URLError(.networkConnectionLost) }
        return Self.response(answer)
    }

    private static func response(_ answer: RESTResponse) -> HTTPTransportResponse {
        var headers: [String: String] = [:]
        for (name, value) in answer.headers { headers[name.lowercased()] = value }
        return HTTPTransportResponse(
            status: answer.status, headers: headers, body: answer.body)
    }
}
