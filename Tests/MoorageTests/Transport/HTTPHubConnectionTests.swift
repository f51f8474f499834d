import Foundation
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Returns the answer that the test sets, in chunks of a few bytes.
private struct ScriptedTransport: HTTPTransport {
    var status = 200
    var headers = ["content-type": "application/x-ndjson"]
    var body = ""
    var chunk = 7
    var failure: (any Error)?
    var failsToConnect: (any Error)?
    let seen = Locked<[HTTPTransportRequest]>([])

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        seen.withLock { $0.append(request) }
        if let failsToConnect { throw failsToConnect }
        let bytes = Array(body.utf8)
        let chunk = chunk
        let failure = failure
        let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                continuation.yield(Array(bytes[start..<min(start + chunk, bytes.count)]))
            }
            continuation.finish(throwing: failure)
        }
        return HTTPTransportResponse(status: status, headers: headers, body: stream)
    }
}

@Suite(.ownThreads) struct `A hub behind HTTP` {
    static let welcome = String(
        decoding: Frame.welcome(`An exchange`.welcome()).encoded(), as: UTF8.self)
    static let end = String(
        decoding: Frame.end(End(hasMore: false)).encoded(), as: UTF8.self)
    static let schema = String(
        decoding: SchemaAnswer(hub: "h", schema: Shop.schema, suspended: []).encoded(),
        as: UTF8.self)

    private func frames(_ transport: ScriptedTransport, maximumLine: Int = 10_000) async throws
        -> [Frame]
    {
        var limits = HTTPHubConnection.AnswerLimits()
        limits.maximumLineBytes = maximumLine
        limits.maximumAnswerBytes = 20_000
        let connection = HTTPHubConnection(
            url: URL(string: "https://hub.example/base")!, secret: "open sesame",
            transport: transport, limits: limits)
        let frames = Locked<[Frame]>([])
        try await connection.exchange(`An exchange`.request(nil)) { frame in
            frames.withLock { $0.append(frame) }
        }
        return frames.withLock { $0 }
    }

    @Test(arguments: [1, 7, 100_000])
    func `hands on the frames, however they are cut`(chunk: Int) async throws {
        let transport = ScriptedTransport(body: Self.welcome + "\n" + Self.end + "\n", chunk: chunk)
        let frames = try await frames(transport)
        #expect(frames == [.welcome(`An exchange`.welcome()), .end(End(hasMore: false))])
        let request = transport.seen.withLock { $0[0] }
        #expect(request.url.absoluteString == "https://hub.example/base/v1/exchange")
        #expect(request.method == "POST")
        #expect(
            request.headers.contains {
                $0.name == "Authorization" && $0.value == "Bearer open sesame"
            })
    }

    @Test func `counts the bytes of one exchange beside those of all`() async throws {
        let transport = ScriptedTransport(body: Self.welcome + "\n" + Self.end + "\n")
        let connection = HTTPHubConnection(
            url: URL(string: "https://hub.example/base")!, secret: nil, transport: transport)
        for number in 1...2 {
            let count = ByteCount()
            try await connection.exchange(`An exchange`.request(nil), counting: count) { _ in }
            let sums = try #require(count.sums)
            let request = transport.seen.withLock { $0[number - 1] }
            #expect(sums.sent == request.body.count && sums.sent > 0)
            #expect(sums.received == transport.body.utf8.count)
            #expect(connection.bytesReceived == Int64(number) * sums.received)
        }
        // A refusal has bytes, too.
        let refusing = HTTPHubConnection(
            url: URL(string: "https://hub.example")!, secret: nil,
            transport: ScriptedTransport(status: 503, body: "down"))
        let count = ByteCount()
        await #expect(throws: HubError.self) {
            try await refusing.exchange(`An exchange`.request(nil), counting: count) { _ in }
        }
        #expect(count.sums.map { $0.sent > 0 } == true)
    }

    @Test func `names scheme, host and port of its address`() throws {
        for text in ["https://hub.example:8443/base", "https://u:p@hub.example:8443/?q=1#f"] {
            let connection = HTTPHubConnection(
                url: try #require(URL(string: text)), secret: nil, transport: ScriptedTransport())
            #expect(connection.address == "https://hub.example:8443")
        }
    }

    @Test func `asks for the schema`() async throws {
        let transport = ScriptedTransport(
            headers: ["content-type": "application/json; charset=utf-8"], body: Self.schema)
        let connection = HTTPHubConnection(
            url: URL(string: "https://hub.example")!, secret: nil, transport: transport)
        #expect(try await connection.schema().schema == Shop.schema)
        #expect(
            transport.seen.withLock { $0[0].headers.contains { $0.name == "Authorization" } }
                == false)
    }

    fileprivate static let failures: [(transport: ScriptedTransport, code: HubError.Code)] = [
        (ScriptedTransport(body: welcome + "\n"), .unreachable),
        (ScriptedTransport(body: ""), .unreachable),
        (ScriptedTransport(body: welcome + "\n" + end.dropLast(3)), .unreachable),
        (ScriptedTransport(body: welcome + "\nhello\n"), .malformed),
        (ScriptedTransport(body: welcome + "\n" + end + "\n" + end + "\n"), .malformed),
        (ScriptedTransport(headers: ["content-type": "text/html"], body: "<html>"), .notOurServer),
        (ScriptedTransport(headers: [:], body: welcome), .notOurServer),
        (ScriptedTransport(status: 302, headers: [:]), .notOurServer),
        (ScriptedTransport(status: 404, headers: ["content-type": "text/html"]), .notOurServer),
        (ScriptedTransport(status: 401, headers: [:]), .unauthorized),
        (ScriptedTransport(status: 413, headers: [:]), .tooLarge),
        (
            ScriptedTransport(status: 502, headers: ["content-type": "text/html"], body: "<html>"),
            .busy
        ),
        (
            ScriptedTransport(
                status: 503, headers: ["content-type": "application/json"],
                body: #"{"code":"shuttingDown","message":"bye"}"#), .shuttingDown
        ),
        (
            ScriptedTransport(
                status: 400, headers: ["content-type": "application/json"], body: #"{"x":1}"#),
            .notOurServer
        ),
        (ScriptedTransport(failsToConnect: URLError(.cannotConnectToHost)), .unreachable),
        (
            ScriptedTransport(body: welcome + "\n", failure: URLError(.networkConnectionLost)),
            .unreachable
        ),
        (ScriptedTransport(body: String(repeating: "x", count: 15_000)), .tooLarge),
        (ScriptedTransport(body: String(repeating: "{}\n", count: 9_000)), .malformed),
    ]

    @Test(arguments: failures.indices)
    func `says in typed errors what went wrong`(index: Int) async throws {
        let one = Self.failures[index]
        let error = await #expect(throws: HubError.self) { try await frames(one.transport) }
        #expect(error?.code == one.code)
        #expect(error?.message.contains("sesame") == false)
    }

    @Test func `names no type of a program in a message`() async throws {
        struct InternalFailure: Error {}
        for transport in [
            ScriptedTransport(failsToConnect: InternalFailure()),
            ScriptedTransport(body: Self.welcome + "\n", failure: InternalFailure()),
        ] {
            let error = await #expect(throws: HubError.self) { try await frames(transport) }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("InternalFailure") == false)
        }
    }

    @Test func `advises https only where nothing of the hub is known`() async throws {
        func message(_ url: String, isKnown: Bool) async throws -> String {
            let connection = HTTPHubConnection(
                url: try #require(URL(string: url)), secret: nil,
                transport: ScriptedTransport(failsToConnect: HubError.closedBeforeAnswer))
            let error = await #expect(throws: HubError.self) {
                if isKnown {
                    try await connection.exchange(`An exchange`.request(nil)) { _ in }
                } else {
                    _ = try await connection.schema()
                }
            }
            #expect(error?.code == .unreachable)
            return error?.message ?? ""
        }
        #expect(try await message("http://localhost", isKnown: false).contains("needs https://"))
        for text in [
            try await message("http://localhost", isKnown: true),
            try await message("https://hub.example", isKnown: false),
        ] {
            #expect(text.contains("closed the connection before it answered"))
            #expect(!text.contains("https://"))
        }
    }

    @Test func `waits as long as the server asks`() async throws {
        let transport = ScriptedTransport(
            status: 429, headers: ["content-type": "text/plain", "retry-after": "17"])
        let error = await #expect(throws: HubError.self) { try await frames(transport) }
        #expect(error?.retryAfter == .seconds(17))
    }

    @Test func `a cancelled task is told so`() async throws {
        let transport = ScriptedTransport(failsToConnect: CancellationError())
        await #expect(throws: CancellationError.self) { try await frames(transport) }
    }
}
