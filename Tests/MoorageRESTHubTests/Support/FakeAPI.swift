import Foundation
import Moorage
import MoorageCore
import MoorageSupport

/// A REST API in memory, with a network that a test can break.
final class FakeAPI: HTTPTransport {
    /// What happens to a request.
    enum Fault: Sendable {
        /// It does not arrive.
        case lost
        /// It arrives, and its answer does not.
        case answerLost
        /// The server answers this, and does nothing.
        case status(Int, headers: [String: String] = [:], body: String = "")
    }

    struct Request: Sendable {
        let method: String
        /// Below the address, with the query.
        let path: String
        let headers: [String: String]
        let body: String

        var line: String { "\(method) \(path)" }
    }

    struct State {
        var collections: [String: FakeCollection] = [:]
        var log: [Request] = []
        var fault: (@Sendable (Request) -> Fault?)?
        /// Answers by idempotency key.
        var answers: [String: FakeAnswer] = [:]
        var honoursKeys = false
        /// Called before a request is carried out.
        var before: (@Sendable () -> Void)?
        /// The only token that counts; `nil` for any.
        var token: String?
    }

    let state = Locked(State())
    static let address = URL(string: "http://localhost:9999/api")!

    init(_ collections: [String: FakeCollection]) {
        state.withLock { $0.collections = collections }
    }

    // MARK: For tests

    /// The rows of a collection by id, as texts of JSON.
    func rows(_ path: String) -> [String: String] {
        state.withLock { state in
            (state.collections[path]?.rows ?? [:]).mapValues { $0.json.canonical }
        }
    }

    func change(_ path: String, _ body: (inout FakeCollection) -> Void) {
        state.withLock { body(&$0.collections[path]!) }
    }

    /// Somebody else writes a row.
    func put(_ path: String, _ text: String) {
        change(path) { $0.put(JSON(text)) }
    }

    func delete(_ path: String, _ id: String) {
        change(path) { $0.delete(id) }
    }

    func breaking(_ fault: (@Sendable (Request) -> Fault?)?) {
        state.withLock { $0.fault = fault }
    }

    /// The next request that fits gets the fault.
    func breakingOnce(_ method: String, _ fault: Fault) {
        let isDone = Locked(false)
        breaking { request in
            guard request.method == method else { return nil }
            return isDone.withLock { done in
                defer { done = true }
                return done ? nil : fault
            }
        }
    }

    /// Methods and paths since the last call.
    func takeLog() -> [String] {
        state.withLock { state in
            defer { state.log = [] }
            return state.log.map(\.line)
        }
    }

    func requests(_ method: String) -> [Request] {
        state.withLock { $0.log.filter { $0.method == method } }
    }

    // MARK: The server

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        var headers: [String: String] = [:]
        for header in request.headers { headers[header.name.lowercased()] = header.value }
        let whole = request.url.absoluteString
        let path = String(whole.dropFirst(Self.address.absoluteString.count + 1))
        let asked = Request(
            method: request.method, path: path, headers: headers,
            body: String(decoding: request.body, as: UTF8.self))
        let fault = state.withLock { state in
            state.log.append(asked)
            return state.fault
        }?(asked)
        switch fault {
        case .lost: throw URLError(.networkConnectionLost)
        case .status(let status, let headers, let body):
            return Self.response(FakeAnswer(status: status, headers: headers, body: body))
        case .answerLost, nil: break
        }
        state.withLock { $0.before }?()
        let answer = state.withLock { Self.answer(asked, &$0) }
        if case .answerLost = fault { throw URLError(.networkConnectionLost) }
        return Self.response(answer)
    }

    private static func response(_ answer: FakeAnswer) -> HTTPTransportResponse {
        var headers = ["content-type": "application/json"]
        for (name, value) in answer.headers { headers[name.lowercased()] = value }
        return HTTPTransportResponse(
            status: answer.status, headers: headers, body: Array(answer.body.utf8))
    }

    static func answer(_ request: Request, _ state: inout State) -> FakeAnswer {
        if let token = state.token, request.headers["authorization"] != "Bearer \(token)" {
            return FakeAnswer(status: 401)
        }
        let key = request.headers["idempotency-key"]
        if state.honoursKeys, let key, let known = state.answers[key] { return known }
        let answer = carriedOut(request, &state)
        if state.honoursKeys, let key, answer.status < 500 { state.answers[key] = answer }
        return answer
    }

    private static func carriedOut(_ request: Request, _ state: inout State) -> FakeAnswer {
        let parts = request.path.split(separator: "?", maxSplits: 1)
        let steps = (parts.first ?? "").split(separator: "/").map {
            String($0).removingPercentEncoding ?? ""
        }
        if steps.last == "batch" { return batch(request, &state) }
        guard let name = steps.first, state.collections[name] != nil, steps.count <= 2 else {
            return FakeAnswer(status: 404)
        }
        var query: [String: String] = [:]
        for part in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1).map {
                String($0).removingPercentEncoding ?? ""
            }
            query[pair[0]] = pair.count > 1 ? pair[1] : ""
        }
        return state.collections[name]!.answer(
            request, id: steps.count == 2 ? steps[1] : nil, query: query)
    }

    private static func batch(_ request: Request, _ state: inout State) -> FakeAnswer {
        guard case .array(let operations)? = JSON(request.body)["operations"] else {
            return FakeAnswer(status: 400)
        }
        var results: [JSON] = []
        for operation in operations {
            var headers: [String: String] = [:]
            headers["idempotency-key"] = operation["idempotencyKey"]?.plain
            headers["if-match"] = operation["ifMatch"]?.plain
            headers["if-none-match"] = operation["ifNoneMatch"]?.plain
            headers["authorization"] = request.headers["authorization"]
            let answer = answer(
                Request(
                    method: operation["method"]?.plain ?? "", path: operation["path"]?.plain ?? "",
                    headers: headers, body: operation["body"]?.canonical ?? ""), &state)
            var members: [(name: String, value: JSON)] = [("status", .number("\(answer.status)"))]
            if !answer.body.isEmpty { members.append(("body", JSON(answer.body))) }
            if let etag = answer.headers["ETag"] { members.append(("etag", .string(etag))) }
            results.append(.object(members))
        }
        return FakeAnswer(
            status: 200, body: JSON.object([("results", .array(results))]).canonical)
    }
}

struct FakeAnswer: Sendable {
    var status: Int
    var headers: [String: String] = [:]
    var body = ""
}
