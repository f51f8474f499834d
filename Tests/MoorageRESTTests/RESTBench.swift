import Logging
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageSupport
import MoorageWire

@testable import MoorageREST

/// A REST service over a hub on a database in memory.
struct RESTBench: Sendable {
    /// A parent, its children, theirs, and a table with a column of each type.
    static let schema = """
        CREATE TABLE customer (
          id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, city TEXT UNIQUE);
        CREATE TABLE purchase (
          id INTEGER NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id),
          freight DECIMAL(10,2), shipped DATE, paid BOOLEAN NOT NULL DEFAULT 0);
        CREATE TABLE line (
          purchase INTEGER NOT NULL REFERENCES purchase(id), number INTEGER NOT NULL,
          amount INTEGER CHECK (amount > 0), PRIMARY KEY (purchase, number));
        CREATE TABLE sample (
          id UUID NOT NULL PRIMARY KEY, n INTEGER, r REAL, d DECIMAL, b BOOLEAN, t TEXT,
          bytes BLOB, day DATE, time TIME, stamp TIMESTAMP, moment TIMESTAMPTZ, doc JSON);
        CREATE TABLE hidden ("$odd" INTEGER NOT NULL PRIMARY KEY, customer TEXT REFERENCES customer(id));
        INSERT INTO customer VALUES ('VINET', 'Vins', 'Reims'), ('HANAR', 'Hanari', 'Rio');
        INSERT INTO purchase VALUES
          (1, 'VINET', 32.38, '1996-07-16', 1), (2, 'HANAR', 65.83, NULL, 0),
          (3, 'VINET', 9.8, '1996-08-01', 0);
        INSERT INTO line VALUES (1, 1, 12), (1, 2, 10), (3, 1, 5);
        """

    private let database: SQLiteDatabase
    private let service: RESTService

    /// - Parameters:
    ///   - database: An empty one; `nil` for a new one.
    ///   - work: Makes of it the database that the hub uses.
    ///   - clock: Measures the time of requests.
    init(
        schema: String = RESTBench.schema,
        _ configuration: HubConfiguration = HubConfiguration(),
        database: SQLiteDatabase? = nil,
        through work: (SQLiteDatabase) -> any CentralDatabase = { $0 },
        clock: any Clock<Duration> = ContinuousClock()
    ) async throws {
        let database = try database ?? SQLiteDatabase()
        self.database = database
        try database.execute(schema)
        let hub = Hub(
            database: work(database), configuration: configuration,
            logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })
        _ = try await hub.attach()
        service = RESTService(hub: hub, clock: clock)
    }

    /// Sends a request as a server would.
    ///
    /// - Parameters:
    ///   - target: The path, and a query if there is one.
    ///   - reserve: Counts the memory that the body needs.
    func send(
        _ method: String, _ target: String, _ headers: [(String, String)] = [],
        body: String? = nil, as principal: Principal? = Principal(subject: "ann"),
        reserve: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) async throws -> RESTResponse {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var headers: [(name: String, value: String)] = headers.map { ($0.0, $0.1) }
        if body != nil, !headers.contains(where: { $0.name == "Content-Type" }) {
            headers.append(("Content-Type", "application/json"))
        }
        let request = RESTRequest(
            method: method, path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil, headers: headers,
            body: Array((body ?? "").utf8))
        do {
            guard let route = try RESTService.route(method: method, path: request.path) else {
                return RESTResponse(status: 404)
            }
            return try await service.respond(
                to: request, route: route, for: principal, reserve: reserve)
        } catch let problem as RESTProblem {
            return RESTResponse(problem)
        }
    }

    /// The bytes of the OpenAPI document.
    ///
    /// - Parameter details: What the owner says of tables; `nil` for what the database says.
    func document(
        as principal: Principal? = nil, details: [Identifier: TableDetails]? = nil
    ) async throws -> [UInt8] {
        guard let details else { return try await service.openAPIDocument(for: principal) }
        return try await service.hub.readRows(for: principal) {
            OpenAPIDocument($0.schema, details: details, hasEvents: true).encoded()
        }
    }

    func openAPI(as principal: Principal? = nil) async throws -> JSON {
        try JSON(parsing: try await document(as: principal))
    }

    /// The problem of a request for events, or the events until a text has come.
    ///
    /// - Parameter end: The stream ends once the events contain this.
    func events(
        _ target: String, _ headers: [(String, String)] = [], until end: String,
        as principal: Principal? = Principal(subject: "ann")
    ) async throws -> String {
        let parts = target.split(separator: "?", maxSplits: 1)
        let request = RESTRequest(
            method: "GET", path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil,
            headers: [("Accept", "text/event-stream")] + headers.map { ($0.0, $0.1) })
        do {
            guard try service.wantsEvents(request, .changes) else { return "no events" }
            let stream = try await service.events(request, for: principal, life: nil)
            let text = Locked("")
            try await stream.run { bytes in
                let isOver = text.withLock { text in
                    text += String(decoding: bytes, as: UTF8.self)
                    return text.contains(end)
                }
                if isOver { stream.end() }
            }
            return text.withLock { $0 }
        } catch let problem as RESTProblem {
            return "\(problem.status) \(problem.code)"
        }
    }

    func sql(_ statement: String) throws { try database.execute(statement) }

    func rows(_ query: String) throws -> [[Value]] {
        try database.perform { try $0.run(query, []) }
    }
}

extension RESTResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON; `null` where it is none.
    var json: JSON { (try? JSON(parsing: body)) ?? .null }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

    /// The code of a problem.
    var code: String? { json["code"]?.string }

    /// The rows of a list, each as its members without `$etag`.
    var rows: [String] { json["rows"]?.elements.map(\.plain) ?? [] }

    /// The results of a batch, each as its status.
    var statuses: [String] { json["results"]?.elements.compactMap { $0["status"]?.text } ?? [] }
}

extension JSON {
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }

    /// Without the versions of rows.
    private var withoutVersions: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutVersions))
        case .object(let members):
            .object(
                members.filter { $0.name != "$etag" }.map { ($0.name, $0.value.withoutVersions) })
        default: self
        }
    }

    /// The text of a row, without its version.
    var plain: String { withoutVersions.text }
}
