#if Server
    import Foundation
    import Moorage
    import MoorageAsyncHTTP
    import MoorageCore
    import MoorageWire
    import TestSupport
    import Testing

    /// A server that ends each connection before its answer is whole, as one that is killed.
    @Suite(.ownThreads) struct `A connection that breaks` {
        @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Ty"])
        func `is reported in words, without advice for another fault`(
            beginning: String
        ) async throws {
            let listener = try Socket.listening()
            let connection = HTTPHubConnection(
                url: try #require(URL(string: "http://127.0.0.1:\(listener.port)")),
                secret: nil, transport: AsyncHTTPTransport())
            // The replica belongs to a hub, so that hub has answered before.
            let request = ExchangeRequest(
                replica: "r", hub: "h", sentAt: 0, tables: [], cursor: .start,
                schemaVersion: nil, batch: nil, limits: PageLimits())
            let exchange = Task { try await connection.exchange(request) { _ in } }
            try await eventually("the client has connected") {
                guard let client = listener.accepted() else { return false }
                Self.answer(client, beginning)
                return true
            }
            let error = await #expect(throws: HubError.self) { try await exchange.value }
            #expect(error?.code == .unreachable)
            let message = try #require(error?.message)
            #expect(!message.contains("https://") && !message.contains("Error"))
        }

        private static func answer(_ client: Socket, _ beginning: String) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
            defer { buffer.deallocate() }
            _ = client.receive(buffer)
            _ = Array(beginning.utf8).withUnsafeBytes { client.sendAll($0) }
            client.finishSending()
        }
    }
#endif
