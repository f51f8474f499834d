import Foundation
import MoorageCore
import MoorageSupport
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// A server that answers in blocks as this version does, or in JSON as an old version does.
private final class ChangingServer: HTTPTransport {
    struct Seen: Sendable {
        let type: String?
        let encoding: String?
        let request: ExchangeRequest
    }

    let isOld = Locked(false)
    let refusal = Locked((status: 400, body: HubError(.malformed, "no JSON").encoded()))
    let seen = Locked<[Seen]>([])
    /// How many bytes the answer lacks, and whether it is compressed.
    let missing = Locked((bytes: 0, isPacked: true))

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        func header(_ name: String) -> String? {
            request.headers.first { $0.name == name }?.value
        }
        let type = header("Content-Type")
        let isPacked = header("Content-Encoding") == "gzip"
        let body = isPacked ? try unpacked(request.body).plain : request.body
        let message = try ExchangeRequest(decoding: body)
        seen.withLock {
            $0.append(
                Seen(type: type, encoding: header("Content-Encoding"), request: message))
        }
        if isOld.withLock({ $0 }), type != "application/json" {
            let refusal = refusal.withLock { $0 }
            let isOurs = refusal.body.first == UInt8(ascii: "{")
            return response(
                refusal.status, isOurs ? "application/json" : "text/html", refusal.body)
        }
        let encoding: WireEncoding = isOld.withLock { $0 } ? .json : .blocks
        var answer = encoding.beginning
        for frame in [Frame.welcome(`An exchange`.welcome()), .end(End(hasMore: false))] {
            answer += encoding.encoded(frame)
        }
        let missing = missing.withLock { $0 }
        if encoding == .blocks, missing.isPacked {
            answer = try GzipWriter().write(answer, isLast: true)
        }
        answer.removeLast(missing.bytes)
        return response(200, encoding.answerType, answer)
    }

    private func response(
        _ status: Int, _ type: String, _ body: [UInt8]
    ) -> HTTPTransportResponse {
        HTTPTransportResponse(
            status: status, headers: ["content-type": type],
            body: AsyncThrowingStream {
                for byte in body { $0.yield([byte]) }
                $0.finish()
            })
    }
}

@Suite(.ownThreads) struct `What a hub is spoken to in` {
    private let server = ChangingServer()

    private func batch() -> Batch {
        let values = (0..<2_000).map { Value.integer(Int64($0) * 7_919) }
        return Batch(
            number: 1, nonce: "n", preparedAt: 0,
            tables: [TableColumns(name: "t", columns: ["id", "x"])],
            changes: values.map {
                Change(table: "t", key: RowKey([$0]), operation: .insert([$0, .null]), editedAt: 0)
            })
    }

    private func exchange(_ connection: HTTPHubConnection) async throws {
        let request = ExchangeRequest(
            replica: "0f0e0d0c-0b0a-4908-8706-050403020100", hub: nil, sentAt: 0, tables: [],
            cursor: .start, schemaVersion: nil, batch: batch(), limits: PageLimits())
        try await connection.exchange(request) { frame in
            if case .error(let error) = frame { throw error }
        }
    }

    private func connection() throws -> HTTPHubConnection {
        HTTPHubConnection(
            url: try #require(URL(string: "https://hub.example")), secret: nil, transport: server)
    }

    @Test func `is JSON until it has answered in blocks`() async throws {
        let connection = try connection()
        for _ in 0..<2 { try await exchange(connection) }
        let seen = server.seen.withLock { $0 }
        #expect(seen.map(\.type) == ["application/json", "application/vnd.moorage.blocks"])
        #expect(seen.map(\.encoding) == [nil, "gzip"])
        #expect(seen[0].request == seen[1].request)
    }

    @Test(arguments: [400, 403, 406, 415, 501])
    func `is JSON again where an older server took its place`(status: Int) async throws {
        let connection = try connection()
        try await exchange(connection)
        server.isOld.withLock { $0 = true }
        if status != 400 {
            server.refusal.withLock { $0 = (status, Array("<html>No.</html>".utf8)) }
        }
        for _ in 0..<2 { try await exchange(connection) }
        #expect(
            server.seen.withLock { $0.map(\.type) } == [
                "application/json", "application/vnd.moorage.blocks", "application/json",
                "application/json",
            ])
        let batches = server.seen.withLock { $0.map(\.request.batch) }
        #expect(batches.allSatisfy { $0 == batch() })
    }

    @Test(arguments: [
        (403, HubError(.differentUser, "It is another's.")), (503, HubError(.busy, "Later.")),
        (413, HubError(.tooLarge, "It is too large.")),
    ])
    func `stays what it was where the hub refuses`(status: Int, error: HubError) async throws {
        let connection = try connection()
        try await exchange(connection)
        server.isOld.withLock { $0 = true }
        server.refusal.withLock { $0 = (status, error.encoded()) }
        await #expect(throws: HubError.self) { try await exchange(connection) }
        #expect(server.seen.withLock { $0.count } == 2)
    }

    @Test(arguments: [(1, true), (60, true), (1, false), (20, false), (100, false)])
    func `is asked again where its answer broke off`(missing: Int, isPacked: Bool) async throws {
        server.missing.withLock { $0 = (missing, isPacked) }
        let connection = try connection()
        let error = await #expect(throws: HubError.self) { try await exchange(connection) }
        #expect(error?.code == .unreachable)
    }

    @Test func `has no answer of compressed bytes that stand for none`() throws {
        var unpacking = Unpacking(limit: 1_000)
        // A header, and blocks without bytes.
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let nothing: [UInt8] = [0, 0, 0, 0xFF, 0xFF]
        let error = #expect(throws: HubError.self) {
            try unpacking.add(head)
            while try unpacking.next() != nil {}
            for _ in 0..<1_000 {
                try unpacking.add(nothing)
                while try unpacking.next() != nil {}
            }
        }
        #expect(error?.code == .tooLarge)
    }
}
