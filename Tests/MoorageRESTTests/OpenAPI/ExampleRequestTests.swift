import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

/// Requests made of the examples of a document, and their answers.
@Suite(.ownThreads) struct `The examples of an OpenAPI document` {
    /// One request.
    private struct Request {
        let method: String
        let path: String
        var query: [String] = []
        var headers: [(String, String)] = []
        var body: (type: String, value: JSON)?
        let operation: JSON
    }

    private let bench: RESTBench
    private let check: SchemaCheck

    init() async throws {
        bench = try await RESTBench()
        check = SchemaCheck(document: try await bench.openAPI())
    }

    private func requests() throws -> [Request] {
        var requests: [Request] = []
        for (path, item) in try #require(check.document["paths"]).members {
            let ofPath = item["parameters"]?.elements ?? []
            var target = path
            for parameter in ofPath {
                let name = try #require(parameter["name"]?.string)
                let example = try #require(parameter["example"])
                #expect(check.accepts(example, try #require(parameter["schema"])))
                target = target.replacing(
                    "{\(name)}", with: PercentEncoding.encode(example.plainText))
            }
            for (method, operation) in item.members where method != "parameters" {
                let plain = Request(
                    method: method.uppercased(), path: target, operation: operation)
                requests += try variants(of: plain)
            }
        }
        return requests
    }

    /// The request with each body, and with each parameter.
    private func variants(of plain: Request) throws -> [Request] {
        var requests = [plain]
        if let content = plain.operation["requestBody"]?["content"] {
            requests = []
            for (type, media) in content.members {
                let example = try #require(media["example"])
                let problem = check.problem(of: example, try #require(media["schema"]))
                #expect(problem == nil, "\(plain.path)")
                var request = plain
                request.body = (type, example)
                requests.append(request)
            }
        }
        for reference in plain.operation["parameters"]?.elements ?? [] {
            let parameter = try #require(check.resolved(reference))
            let name = try #require(parameter["name"]?.string)
            #expect(parameter["description"]?.string?.isEmpty == false)
            guard let example = parameter["example"] else { continue }
            #expect(check.accepts(example, try #require(parameter["schema"])), "\(name)")
            var request = requests[0]
            if parameter["in"]?.string == "header" {
                request.headers.append((name, example.plainText))
            } else {
                request.query.append("\(name)=\(PercentEncoding.encode(example.plainText))")
            }
            requests.append(request)
        }
        return requests
    }

    private func send(_ request: Request) async throws -> RESTResponse {
        let query = request.query.isEmpty ? "" : "?" + request.query.joined(separator: "&")
        let type = request.body.map { [("Content-Type", $0.type)] } ?? []
        return try await bench.send(
            request.method, request.path + query, request.headers + type,
            body: request.body?.value.plainText)
    }

    /// What the document does not say of an answer.
    private func problem(of response: RESTResponse, to request: Request) -> String? {
        guard let part = request.operation["responses"]?["\(response.status)"],
            let answer = check.resolved(part)
        else { return "the status \(response.status) is not declared" }
        for (name, reference) in answer["headers"]?.members ?? [] {
            let header = check.resolved(reference)
            // The server adds it.
            if name == "X-Request-Id" { continue }
            let value = response.header(name)
            if value == nil, header?["required"]?.text == "true" { return "\(name) is missing" }
        }
        guard let content = answer["content"] else {
            return response.body.isEmpty ? nil : "a body"
        }
        let type = response.header("Content-Type")?.split(separator: ";").first ?? ""
        guard let schema = content[String(type)]?["schema"] else { return "the type \(type)" }
        let value = type == "text/csv" ? .string(response.text) : response.json
        return check.problem(of: value, schema)
    }

    @Test func `are answered as the document says`() async throws {
        let requests = try requests()
        #expect(requests.count > 50)
        var statuses: Set<Int> = []
        for request in requests {
            let response = try await send(request)
            let problem = problem(of: response, to: request)
            #expect(
                problem == nil,
                "\(request.method) \(request.path) \(request.query) \(response.text)")
            #expect(response.status != 400 && response.status < 500, "\(response.text)")
            statuses.insert(response.status)
        }
        #expect(statuses.isSuperset(of: [200, 201, 204, 404]))
    }

    @Test func `are answered as the document says where there are rows`() async throws {
        try bench.sql(
            """
            INSERT INTO sample (id, n, day, doc) VALUES (
              '6fa9de85-6161-4583-9060-401245a55af9', 5, '1996-07-16', '{"a":1}');
            INSERT INTO customer VALUES ('text', 'text', 'text');
            """)
        for request in try requests() where request.method != "DELETE" {
            let response = try await send(request)
            let problem = problem(of: response, to: request)
            #expect(problem == nil, "\(request.method) \(request.path): \(response.text)")
        }
    }

    private static let others: [(method: String, path: String, headers: [(String, String)])] = [
        ("GET", "/v1/tables/purchase", [("Accept", "text/csv")]),
        ("GET", "/v1/tables/purchase", [("Accept", "image/png")]),
        ("GET", "/v1/tables/purchase/9", []), ("GET", "/v1/tables/purchase/x", []),
        ("GET", "/v1/tables/purchase/1", [("If-None-Match", "*")]),
        ("GET", "/v1/tables/purchase/1", [("If-Match", "\"x\"")]),
        ("GET", "/v1/openapi.json", [("If-None-Match", "*")]),
        ("GET", "/v1/openapi.json", [("If-Match", "\"x\"")]),
        ("PATCH", "/v1/tables/purchase/1", [("If-Match", "\"x\"")]),
        ("PATCH", "/v1/tables/purchase/1", [("Content-Type", "text/plain")]),
        ("PATCH", "/v1/tables/purchase/1", [("Prefer", "return=minimal")]),
        ("PUT", "/v1/tables/purchase/1", []), ("DELETE", "/v1/tables/customer/VINET", []),
        ("DELETE", "/v1/tables/purchase/1", [("If-Match", "x")]),
        ("POST", "/v1/tables/purchase", [("Accept", "text/csv")]),
        ("POST", "/v1/batch", []),
    ]

    @Test func `are not the only requests whose answers are declared`() async throws {
        let paths = try #require(check.document["paths"]).members
        for (method, path, headers) in Self.others {
            let item =
                paths.first { $0.name == path }
                ?? paths.first {
                    $0.name == path.split(separator: "/").dropLast()
                        .reduce("") { "\($0)/\($1)" } + "/{key}"
                }
            let operation = try #require(item?.value[method.lowercased()], "\(method) \(path)")
            var request = Request(method: method, path: path, operation: operation)
            request.headers = headers
            let body = method == "GET" || method == "DELETE" ? nil : #"{"paid":true}"#
            let response = try await bench.send(method, path, headers, body: body)
            let problem = problem(of: response, to: request)
            #expect(problem == nil, "\(method) \(path) \(headers): \(response.status)")
        }
    }
}

extension JSON {
    /// As a path, a query or a body of text has it.
    fileprivate var plainText: String {
        switch self {
        case .string(let text): text
        case .array(let elements) where elements.allSatisfy { $0.string != nil }:
            elements.compactMap(\.string).joined(separator: ",")
        default: text
        }
    }
}
