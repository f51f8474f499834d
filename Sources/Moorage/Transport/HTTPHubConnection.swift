public import Foundation
import MoorageCore
public import MoorageWire

/// A hub behind HTTP: `POST v1/exchange`, `GET v1/schema`, `POST v1/compare` (docs/protocol.md).
public struct HTTPHubConnection: HubConnection {
    private let url: URL
    private let credentials: HubCredentials?
    private let transport: any HTTPTransport
    private let limits: AnswerLimits

    /// What an answer may weigh: a server that is not ours must not fill the device.
    public struct AnswerLimits: Sendable {
        public var maximumLineBytes = 64_000_000
        public var maximumAnswerBytes = 512_000_000

        public init() {}
    }

    /// - Parameter credentials: What the hub is shown; `nil` for one that asks for nothing.
    public init(
        url: URL, credentials: HubCredentials?,
        transport: any HTTPTransport = URLSessionTransport(),
        limits: AnswerLimits = AnswerLimits()
    ) {
        self.url = url
        self.credentials = credentials
        self.transport = transport
        self.limits = limits
    }

    public init(
        url: URL, secret: String?, transport: any HTTPTransport = URLSessionTransport(),
        limits: AnswerLimits = AnswerLimits()
    ) {
        self.init(
            url: url, credentials: secret.map { .secret($0) }, transport: transport,
            limits: limits)
    }

    public func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let response = try await send(
            "POST", "exchange", body: request.encoded(), accept: "application/x-ndjson")
        var lines = LineReader(maximumLineBytes: limits.maximumLineBytes)
        var total = 0
        var isEnded = false
        func take(_ line: [UInt8]) async throws {
            guard !isEnded else {
                throw HubError(.malformed, "The answer goes on after its end.")
            }
            let frame = try Frame(decoding: line)
            switch frame {
            case .end, .error: isEnded = true
            case .welcome, .outcomes, .page: break
            }
            try await receive(frame)
        }
        for try await chunk in reaching(response.body) {
            total += chunk.count
            guard total <= limits.maximumAnswerBytes else {
                throw HubError(.tooLarge, "The answer is larger than this device takes.")
            }
            for line in try lines.add(chunk) { try await take(line) }
        }
        if let line = lines.rest { try await take(line) }
        guard isEnded else { throw Self.brokenOff }
    }

    public func schema() async throws -> SchemaAnswer {
        let response = try await send("GET", "schema", body: [], accept: "application/json")
        return try SchemaAnswer(decoding: try await whole(response))
    }

    public func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        let response = try await send(
            "POST", "compare", body: request.encoded(), accept: "application/json")
        return try CompareAnswer(decoding: try await whole(response))
    }

    private static let brokenOff = HubError(
        .unreachable, "The connection broke before the answer's end; the replica tries again.")

    // MARK: Requests

    private func send(_ method: String, _ path: String, body: [UInt8], accept: String) async throws
        -> HTTPTransportResponse
    {
        let first = try await credentials?.current(after: nil)
        do {
            return try await send(method, path, body: body, accept: accept, showing: first)
        } catch let error as HubError where error.code == .unauthorized {
            // It may just have expired: the app is asked once for another one.
            guard let first, let next = try await credentials?.current(after: first),
                !next.utf8.elementsEqual(first.utf8)
            else { throw error }
            return try await send(method, path, body: body, accept: accept, showing: next)
        }
    }

    private func send(
        _ method: String, _ path: String, body: [UInt8], accept: String, showing credential: String?
    ) async throws -> HTTPTransportResponse {
        var headers = [(name: "Accept", value: accept)]
        if method == "POST" { headers.append(("Content-Type", "application/json")) }
        if let credential { headers.append(("Authorization", "Bearer \(credential)")) }
        let request = HTTPTransportRequest(
            method: method, url: url.appending(path: "v1/\(path)"), headers: headers, body: body)
        let response: HTTPTransportResponse
        do {
            response = try await transport.send(request)
        } catch { throw Self.unreachable(error) }
        guard response.status == 200 else { throw try await refusal(response) }
        let type = response.headers["content-type"] ?? ""
        guard type.lowercased().hasPrefix(accept) else {
            throw HubError(
                .notOurServer,
                """
                Something answered that is no hub (content type “\(type.prefix(60))”): a sign-in \
                page of the network, or a wrong address.
                """)
        }
        return response
    }

    private static func unreachable(_ error: any Error) -> any Error {
        if error is CancellationError || Task.isCancelled { return CancellationError() }
        if error is HubError { return error }
        return HubError(
            .unreachable, "The hub cannot be reached: \((error as NSError).localizedDescription)")
    }

    /// The body, with the transport's errors in our terms.
    private func reaching(_ body: AsyncThrowingStream<[UInt8], any Error>)
        -> BodyChunks
    {
        BodyChunks(base: body, failure: Self.unreachable)
    }

    private func whole(_ response: HTTPTransportResponse, limit: Int? = nil) async throws -> [UInt8]
    {
        var bytes: [UInt8] = []
        for try await chunk in reaching(response.body) {
            bytes += chunk
            guard bytes.count <= limit ?? limits.maximumLineBytes else {
                throw HubError(.tooLarge, "The answer is larger than this device takes.")
            }
        }
        guard !bytes.isEmpty else { throw Self.brokenOff }
        return bytes
    }

    // MARK: Refusals

    private func refusal(_ response: HTTPTransportResponse) async throws -> HubError {
        let after = response.headers["retry-after"].flatMap { Int($0) }
            .map { Duration.seconds(min(max($0, 1), 86_400)) }
        let isJSON =
            response.headers["content-type"]?.lowercased()
            .hasPrefix("application/json") == true
        if isJSON {
            do {
                let error = try HubError(decoding: try await whole(response, limit: 100_000))
                return HubError(error.code, error.message, retryAfter: after ?? error.retryAfter)
            } catch let error as HubError where error.code == .unreachable {
                return error
            } catch is HubError {
                // JSON of someone else: the status has to do.
            }
        }
        switch response.status {
        case 401, 403:
            return HubError(.unauthorized, "The hub did not accept the secret or token.")
        case 413: return HubError(.tooLarge, "The hub does not take a request of this size.")
        case 408, 429, 500...599:
            return HubError(
                .busy, "The hub answered with status \(response.status).", retryAfter: after)
        default:
            return HubError(
                .notOurServer,
                """
                Something answered that is no hub (status \(response.status)): a sign-in page of \
                the network, or a wrong address.
                """)
        }
    }
}

/// Chunks of a body, with each error put into our terms.
struct BodyChunks: AsyncSequence {
    typealias Element = [UInt8]
    let base: AsyncThrowingStream<[UInt8], any Error>
    let failure: (any Error) -> any Error

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
        let failure: (any Error) -> any Error

        mutating func next() async throws -> [UInt8]? {
            do {
                let chunk = try await base.next()
                // A stream that is cancelled ends in silence.
                if chunk == nil { try Task.checkCancellation() }
                return chunk
            } catch { throw failure(error) }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: base.makeAsyncIterator(), failure: failure)
    }
}

/// Cuts chunks into lines.
struct LineReader: Sendable {
    private let maximumLineBytes: Int
    private var buffer: [UInt8] = []

    init(maximumLineBytes: Int) { self.maximumLineBytes = maximumLineBytes }

    mutating func add(_ chunk: [UInt8]) throws -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        for index in chunk.indices where chunk[index] == UInt8(ascii: "\n") {
            let line = buffer + chunk[start..<index]
            buffer = []
            start = index + 1
            if !line.isEmpty { lines.append(line) }
        }
        buffer += chunk[start...]
        guard buffer.count <= maximumLineBytes else {
            throw HubError(.tooLarge, "A line of the answer is larger than this device takes.")
        }
        return lines
    }

    /// What came after the last line break; `nil` when nothing did.
    var rest: [UInt8]? { buffer.isEmpty ? nil : buffer }
}
