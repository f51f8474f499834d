package import Foundation
import MoorageCore
import MoorageSupport
package import MoorageWire

/// A hub behind HTTP: `POST v1/exchange`, `GET v1/schema`, `POST v1/compare`
/// (docs/reference/protocol.md).
package struct HTTPHubConnection: HubConnection {
    private let url: URL
    private let credentials: HubCredentials?
    private let transport: any HTTPTransport
    private let limits: AnswerLimits
    private let allowsPlainHTTP: Bool
    private let spoken = NegotiatedEncoding()
    private let received = Locked(Int64(0))
    /// Whether the hub has answered, this client or an earlier one of the same file.
    private let isKnown = Locked(false)
    /// Counts one exchange alone; `nil` for all that nobody counts by itself.
    private var counting: ByteCount?

    /// How large an answer may be: a server that is not ours must not fill the device.
    package struct AnswerLimits: Sendable {
        package var maximumLineBytes = 64_000_000
        package var maximumAnswerBytes = 512_000_000

        package init() {}
    }

    /// - Parameters:
    ///   - credentials: What the replica shows to the hub; `nil` for a hub that asks for nothing.
    ///   - allowsPlainHTTP: Whether secret and rows may go unencrypted over a network.
    package init(
        url: URL, credentials: HubCredentials?,
        transport: any HTTPTransport = URLSessionTransport(),
        limits: AnswerLimits = AnswerLimits(), allowsPlainHTTP: Bool = false
    ) {
        self.url = url
        self.credentials = credentials
        self.transport = transport
        self.limits = limits
        self.allowsPlainHTTP = allowsPlainHTTP
    }

    package init(
        url: URL, secret: String?, transport: any HTTPTransport = URLSessionTransport(),
        limits: AnswerLimits = AnswerLimits(), allowsPlainHTTP: Bool = false
    ) {
        self.init(
            url: url, credentials: secret.map { .secret($0) }, transport: transport,
            limits: limits, allowsPlainHTTP: allowsPlainHTTP)
    }

    package func checkAddress() throws(HubError) {
        if let fault = AddressFault.of(url, allowsPlainHTTP: allowsPlainHTTP) {
            throw HubError(fault)
        }
    }

    package var bytesReceived: Int64? { received.withLock { $0 } }

    package var address: String? { url.serverAddress }

    package func exchange(
        _ request: consuming ExchangeRequest, counting bytes: ByteCount?,
        receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        var counted = self
        counted.counting = bytes
        try await counted.exchange(request, receive: receive)
    }

    package func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        if request.hub != nil { isKnown.withLock { $0 = true } }
        let encoding = spoken.encoding
        do {
            try await exchange(request, in: encoding, receive)
        } catch let refused as Refused {
            guard encoding == .blocks, refused.isOfEncoding else { throw refused.error }
            // The server that answered in blocks was replaced by one of an earlier version.
            spoken.forget()
            try await ask { try await exchange(request, in: .json, receive) }
        }
    }

    private func ask<Answer>(_ request: () async throws -> Answer) async throws -> Answer {
        do { return try await request() } catch let refused as Refused { throw refused.error }
    }

    /// An answer with a status other than 200. A batch may be sent again all the same, because it
    /// has a number.
    private struct Refused: Error {
        let status: Int
        let error: HubError

        /// Whether a server that does not know the encoding, or a proxy on the way, may answer
        /// this.
        var isOfEncoding: Bool {
            switch error.code {
            case .malformed, .notOurServer: true
            // Without a document of the hub.
            case .unauthorized: status == 403
            default: [406, 415, 501].contains(status)
            }
        }
    }

    private func exchange(
        _ request: ExchangeRequest, in encoding: WireEncoding,
        _ receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let response = try await send(
            "POST", "exchange", body: try RequestBody(request, in: encoding),
            accept: WireEncoding.allCases.reversed().map(\.answerType))
        let answer = WireEncoding.allCases.first { response.hasType($0.answerType) } ?? .json
        if answer == .blocks { spoken.heard() }
        var reader = FrameReader(answer, maximumFrameBytes: limits.maximumLineBytes)
        var isEnded = false
        func deliver(_ frame: Frame?) async throws -> Bool {
            guard let frame else { return false }
            guard !isEnded else {
                throw HubError.answerAfterEnd
            }
            switch frame {
            case .end, .error: isEnded = true
            case .welcome, .outcomes, .page, .alive: break
            }
            try await receive(frame)
            return true
        }
        // A live stream has no end, but each of its frames has a limit.
        var unpacking = Unpacking(limit: request.isLive ? .max : limits.maximumAnswerBytes)
        for try await packed in reaching(response.body) {
            try unpacking.add(packed)
            while let chunk = try unpacking.next() {
                reader.add(chunk)
                while try await deliver(reader.next()) {}
            }
        }
        guard unpacking.isWhole else { throw HubError.connectionBroke }
        _ = try await deliver(Self.last(of: &reader, isEnded: isEnded))
        guard isEnded else { throw HubError.connectionBroke }
    }

    /// A last line without its line break. Part of a frame before the connection broke is no frame.
    private static func last(
        of reader: inout FrameReader, isEnded: Bool
    ) throws(HubError) -> Frame? {
        do {
            return try reader.next(isLast: true)
        } catch {
            throw isEnded || error.code != .malformed ? error : HubError.connectionBroke
        }
    }

    package func schema() async throws -> SchemaAnswer {
        let response = try await ask {
            try await send("GET", "schema", body: nil, accept: ["application/json"])
        }
        return try SchemaAnswer(decoding: try await whole(response))
    }

    package func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        let response = try await ask {
            try await send(
                "POST", "compare", body: RequestBody(json: request.encoded()),
                accept: ["application/json"])
        }
        return try CompareAnswer(decoding: try await whole(response))
    }

    // MARK: Requests

    private func send(
        _ method: String, _ path: String, body: RequestBody?, accept: [String]
    ) async throws -> HTTPTransportResponse {
        try checkAddress()
        let first = try await credentials?.current(after: nil)
        do {
            return try await send(method, path, body, accept, showing: first)
        } catch let refused as Refused where refused.error.code == .unauthorized {
            // It may just have expired, so ask the app once for another one.
            guard let first, let next = try await credentials?.current(after: first),
                !next.utf8.elementsEqual(first.utf8)
            else { throw refused }
            return try await send(method, path, body, accept, showing: next)
        }
    }

    private func send(
        _ method: String, _ path: String, _ body: RequestBody?, _ accept: [String],
        showing credential: String?
    ) async throws -> HTTPTransportResponse {
        var headers = [
            (name: "Accept", value: accept.joined(separator: ", ")),
            (
                name: "Accept-Encoding",
                value: Compression.isAvailable ? Compression.name : "identity"
            ),
        ]
        if let body {
            headers.append(("Content-Type", body.type))
            if body.isPacked { headers.append(("Content-Encoding", Compression.name)) }
        }
        if let credential { headers.append(("Authorization", "Bearer \(credential)")) }
        let request = HTTPTransportRequest(
            method: method, url: url.appending(path: "v1/\(path)"), headers: headers,
            body: body?.bytes ?? [], isOpenEnded: body?.isLive ?? false)
        let response: HTTPTransportResponse
        counting?.addSent(request.body.count)
        do {
            response = try await transport.send(request)
        } catch { throw unanswered(error) }
        guard response.status == 200 else {
            throw Refused(status: response.status, error: try await refusal(response))
        }
        guard accept.contains(where: response.hasType) else {
            let type = response.headers["content-type"] ?? ""
            throw HubError.notAHub(contentType: type)
        }
        isKnown.withLock { $0 = true }
        return response
    }

    private func unanswered(_ error: any Error) -> any Error {
        let error = HTTPFailure.readable(error)
        guard (error as? HubError) == .closedBeforeAnswer, url.scheme?.lowercased() == "http",
            !isKnown.withLock({ $0 })
        else { return error }
        return HubError.closedUnknown
    }

    /// The body, with the transport's errors converted.
    private func reaching(_ body: AsyncThrowingStream<[UInt8], any Error>)
        -> BodyChunks
    {
        BodyChunks(
            base: body, received: received, counting: counting, failure: HTTPFailure.readable)
    }

    private func whole(_ response: HTTPTransportResponse, limit: Int? = nil) async throws -> [UInt8]
    {
        var bytes: [UInt8] = []
        var unpacking = Unpacking(limit: limit ?? limits.maximumLineBytes)
        for try await packed in reaching(response.body) {
            try unpacking.add(packed)
            while let chunk = try unpacking.next() { bytes += chunk }
        }
        guard !bytes.isEmpty, unpacking.isWhole else { throw HubError.connectionBroke }
        return bytes
    }

    // MARK: Refusals

    private func refusal(_ response: HTTPTransportResponse) async throws -> HubError {
        let after = response.headers["retry-after"].flatMap { Int($0) }
            .map { Duration.seconds(min(max($0, 1), 86_400)) }
        if response.hasType("application/json") {
            do {
                let error = try HubError(decoding: try await whole(response, limit: 100_000))
                // The server's texts for these are about HTTP, and not for the author of an app.
                if error.code == .unauthorized { return .notAuthorized }
                if error.code == .notFound, !["", "/"].contains(url.path) {
                    return .nothingBelow(url.path)
                }
                return HubError(error.code, error.message, retryAfter: after ?? error.retryAfter)
            } catch let error as HubError where error.code == .unreachable {
                return error
            } catch is HubError {
                // The JSON is not the hub's, so the status has to do.
            }
        }
        switch response.status {
        case 401, 403: return .notAuthorized
        case 413: return .requestTooLarge
        case 408, 429, 500...599: return .hubBusy(status: response.status, retryAfter: after)
        default: return .notAHub(status: response.status)
        }
    }
}

/// Chunks of a body, with each error converted.
struct BodyChunks: AsyncSequence {
    typealias Element = [UInt8]
    let base: AsyncThrowingStream<[UInt8], any Error>
    /// How many bytes arrived, of this body and others.
    let received: Locked<Int64>
    let counting: ByteCount?
    let failure: (any Error) -> any Error

    struct AsyncIterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
        let received: Locked<Int64>
        let counting: ByteCount?
        let failure: (any Error) -> any Error

        mutating func next() async throws -> [UInt8]? {
            do {
                let chunk = try await base.next()
                // A cancelled stream ends without an error.
                guard let chunk else {
                    try Task.checkCancellation()
                    return nil
                }
                received.withLock { $0 += Int64(chunk.count) }
                counting?.addReceived(chunk.count)
                return chunk
            } catch { throw failure(error) }
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(
            base: base.makeAsyncIterator(), received: received, counting: counting,
            failure: failure)
    }
}
