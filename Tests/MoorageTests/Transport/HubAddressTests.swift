import Foundation
import GRDB
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// Counts what is sent, and answers everything with what the test sets.
private struct CountingTransport: HTTPTransport {
    var code = "notAttached"
    let sent = Locked(0)

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        sent.withLock { $0 += 1 }
        let body = #"{"code":"\#(code)","message":"There is nothing at this path."}"#
        return HTTPTransportResponse(
            status: 404, headers: ["content-type": "application/json"],
            body: AsyncThrowingStream { continuation in
                continuation.yield(Array(body.utf8))
                continuation.finish()
            })
    }
}

@Suite(.ownThreads) struct `A hub's address` {
    private func hub(
        _ text: String, _ transport: CountingTransport, allowsPlainHTTP: Bool = false
    ) throws -> ReplicaHub {
        .http(
            try #require(URL(string: text)), credentials: .secret("open sesame"),
            transport: transport, allowsPlainHTTP: allowsPlainHTTP)
    }

    private func clone(_ hub: ReplicaHub) async throws -> ReplicaError {
        let error = await #expect(throws: ReplicaError.self) {
            try await Replica.clone(into: DatabaseQueue(), from: hub, tables: ["site"])
        }
        return try #require(error)
    }

    static let refused = [
        "http://192.0.2.2:8094", "HTTP://hub.example", "http://127.0.0.1.example",
        "http://localhost.example", "http://127.1", "http://[2001:db8::1]:8080",
        "https://hub.example/?a=b", "https://hub.example#a", "https://u:p@hub.example",
        "ftp://hub.example", "hub.example",
    ]

    @Test(arguments: refused)
    func `is refused before anything is sent`(text: String) async throws {
        let transport = CountingTransport()
        let hub = try hub(text, transport)
        let cloned = try await clone(hub)
        let opened = await #expect(throws: ReplicaError.self) {
            try await Replica(database: DatabaseQueue(), hub: hub, tables: [])
        }
        for error in [cloned, try #require(opened)] {
            #expect(error.code == .hub(.configuration) && error.recovery == .choose)
            #expect(
                error.message.contains("Nothing was sent.") && error.message.contains("https://"))
            #expect(!error.message.contains("sesame") && !error.message.contains("u:p"))
        }
        // The connection itself refuses, too, for those who use it without a replica.
        await #expect(throws: HubError.self) { try await hub.connection.schema() }
        #expect(transport.sent.withLock { $0 } == 0)
    }

    @Test(arguments: [
        "http://localhost:8080", "http://127.0.0.1:8080", "http://127.9.9.9", "http://[::1]:8080",
        "https://hub.example", "HTTPS://hub.example",
    ])
    func `is asked on this machine, or over TLS`(text: String) async throws {
        let transport = CountingTransport()
        #expect(try await clone(hub(text, transport)).code == .hub(.notAttached))
        #expect(transport.sent.withLock { $0 } == 1)
    }

    @Test func `is asked over plain HTTP if the app allows it`() async throws {
        let transport = CountingTransport()
        let hub = try hub("http://192.0.2.2:8094", transport, allowsPlainHTTP: true)
        #expect(try await clone(hub).code == .hub(.notAttached))
        #expect(transport.sent.withLock { $0 } == 1)
    }

    @Test func `has a path that is named if the hub has nothing there`() async throws {
        let error = try await clone(
            hub("https://hub.example/foo", CountingTransport(code: "notFound")))
        #expect(error.code == .hub(.notFound) && error.recovery == .choose)
        #expect(error.message.contains("Leave /foo out"))
        #expect(!error.message.contains("/v1"))
    }

    @Test func `takes a secret of the app's hub settings`() async throws {
        let transport = CountingTransport(code: "unauthorized")
        let error = try await clone(hub("https://hub.example", transport))
        #expect(error.code == .hub(.unauthorized) && error.recovery == .signIn)
        #expect(error.message.contains("hub settings") && !error.message.contains("Bearer"))
    }
}
