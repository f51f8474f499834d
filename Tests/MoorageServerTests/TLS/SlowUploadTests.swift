#if Server
    import Foundation
    import Moorage
    import MoorageAsyncHTTP
    import MoorageSupport
    import MoorageWire
    import NIOCore
    import NIOPosix
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `A transport on AsyncHTTPClient` {
        /// The test of the night waits until such an upload has ended.
        @Test func `does not count the time of an upload as silence`() async throws {
            try await SlowLine.run(idleTimeout: .milliseconds(100)) { line in
                let isOver = Locked(false)
                let upload = Task {
                    defer { isOver.withLock { $0 = true } }
                    return try await line.upload()
                }
                let server = try await line.connection()
                // The time-out is a timer of the same loop, and comes before this one.
                try await line.eventLoop.scheduleTask(in: .milliseconds(500)) {}.futureResult.get()
                #expect(!isOver.withLock { $0 })
                try await server.close()
                let error = await #expect(throws: HubError.self) { _ = try await upload.value }
                #expect(error?.code == .unreachable)
                #expect(error?.message.contains("too long") == false)
            }
        }
    }

    extension Night {
        @Suite("Uploads over a slow line", .ownThreads, .night(.soak))
        struct UploadsOverASlowLine {
            @Test func `are waited for, however long they take`() async throws {
                let rounds = await NightPlan.rounds(of: "uploads over a slow line") { _ in
                    let status = try await SlowLine.run(idleTimeout: .seconds(15)) { line in
                        let upload = Task { try await line.upload() }
                        let server = try await line.connection()
                        try await Task.sleep(for: .seconds(30))
                        try await server.setOption(.autoRead, value: true).get()
                        server.read()
                        return try await upload.value
                    }
                    return status == 200 ? [] : ["the answer is \(status)"]
                }
                NightPlan.figures("uploads over a slow line: \(rounds)")
            }
        }
    }

    /// A server that reads nothing until the test wants it to, and a client whose loop is behind
    /// with its work.
    private struct SlowLine: Sendable {
        /// More than the buffers of both sides can take.
        private static let bytes = 32_000_000

        /// The client's event loop.
        let eventLoop: any EventLoop
        private let transport: AsyncHTTPTransport
        private let port: Int
        private let connections: Locked<[any Channel]>

        /// - Parameter idleTimeout: How long the client waits for an answer once all is sent.
        static func run<Result>(
            idleTimeout: Duration, _ body: (SlowLine) async throws -> Result
        ) async throws -> Result {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            defer { group.shutdownGracefully { _ in } }
            let eventLoop = group.next()
            let work = eventLoop.scheduleRepeatedTask(
                initialDelay: .zero, delay: .milliseconds(1)
            ) { _ in usleep(10_000) }
            defer { work.cancel() }
            let connections = Locked<[any Channel]>([])
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer { channel in
                    connections.withLock { $0.append(channel) }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Answering(after: bytes))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let transport = AsyncHTTPTransport(
                trust: ServerTrust(), connectTimeout: .seconds(30), idleTimeout: idleTimeout,
                totalTimeout: .seconds(600), on: eventLoop)
            let result = try await body(
                SlowLine(
                    eventLoop: eventLoop, transport: transport,
                    port: try #require(server.localAddress?.port), connections: connections))
            try await server.close()
            return result
        }

        /// - Returns: The answer's status.
        func upload() async throws -> Int {
            let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
            return try await transport.send(
                HTTPTransportRequest(
                    method: "POST", url: url, headers: [],
                    body: [UInt8](repeating: 0, count: Self.bytes))
            ).status
        }

        /// The server's end, once the client has connected.
        func connection() async throws -> any Channel {
            try await eventually("the client has connected") {
                connections.withLock { !$0.isEmpty }
            }
            return try #require(connections.withLock { $0.first })
        }
    }

    /// Answers once it has all.
    private final class Answering: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private var left: Int

        init(after bytes: Int) { left = bytes }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            left -= unwrapInboundIn(data).readableBytes
            guard left <= 0 else { return }
            let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            // What is left of it, less than its head was long, brings no second answer.
            left = .max
        }
    }
#endif
