import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageRESTHub
import MoorageSupport
import TestSupport
import Testing

/// A network that keeps the first `POST` on its way until it is let go.
private final class SlowNetwork: HTTPTransport {
    private let api: FakeAPI
    private let left = Counter(1)
    private let gate = AsyncStream<Void>.makeStream()
    private let arrived = AsyncStream<Void>.makeStream()

    init(_ api: FakeAPI) { self.api = api }

    func waitForPost() async { for await _ in arrived.stream { break } }

    func letGo() { gate.continuation.finish() }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        if request.method == "POST", left.next() == 0 {
            arrived.continuation.finish()
            for await _ in gate.stream {}
        }
        return try await api.send(request)
    }
}

@Suite(.ownThreads) struct `Two processes with one file` {
    /// As an app and its extension.
    private func process(
        _ path: String, _ network: any HTTPTransport
    ) async throws -> (DatabasePool, Replica) {
        let pool = try DatabasePool(path: path)
        try await pool.write { db in
            if try !db.tableExists("person") { try db.execute(sql: Device.schema) }
        }
        let hub = RESTHub(FakeAPI.address, [Person.self], in: pool, transport: network)
        return (pool, try await hub.replica(options: Device.options))
    }

    @Test(.timeLimit(.minutes(1))) func `send a new row once`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "app.db").path
        let api = FakeAPI(["people": FakeCollection { $0.makesIDs = true }])
        let network = SlowNetwork(api)
        let (pool, app) = try await process(path, network)
        let (_, other) = try await process(path, api)
        try await pool.write { try $0.execute(sql: "INSERT INTO person(name) VALUES ('Ada')") }
        let first = Task { try await app.sync() }
        await network.waitForPost()
        // The row is on its way. The other process does not find it at the server.
        let second = await Task { try await other.sync() }.result
        network.letGo()
        _ = await first.result
        _ = try? await app.sync()
        try await other.sync()
        #expect(api.rows("people").count == 1)
        #expect(throws: ReplicaError.self) { try second.get() }
        let rows = try await pool.read {
            try String.fetchAll($0, sql: "SELECT id || ' ' || name FROM person")
        }
        #expect(rows == ["100 Ada"])
    }
}
