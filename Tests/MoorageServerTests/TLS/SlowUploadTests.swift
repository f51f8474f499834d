#if Server
    import Foundation
    import Moorage
    import MoorageAsyncHTTP
    import NIOCore
    import NIOPosix
    import TestSupport
    import Testing

    @Suite(.ownThreads) struct `A transport on AsyncHTTPClient` {
        /// A server that takes nothing for a while, as over a slow line, and answers once it has all.
        private final class Slow: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            typealias OutboundOut = ByteBuffer
            private var left: Int

            init(bytes: Int) { left = bytes }

            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                left -= unwrapInboundIn(data).readableBytes
                guard left <= 0 else { return }
                let answer = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
                // What is left of it, less than its head was long, brings no second answer.
                left = .max
            }
        }

        /// More than the buffers of both sides hold.
        private static let bytes = 32_000_000

        @Test func `does not count the time of an upload as silence`() async throws {
            // Behind with its work, as where everything is busy.
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            defer { group.shutdownGracefully { _ in } }
            let eventLoop = group.next()
            let work = eventLoop.scheduleRepeatedTask(
                initialDelay: .zero, delay: .milliseconds(1)
            ) { _ in usleep(10_000) }
            defer { work.cancel() }
            let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer { channel in
                    channel.eventLoop.scheduleTask(in: .seconds(30)) {
                        channel.setOption(.autoRead, value: true).whenSuccess { channel.read() }
                    }
                    return channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Slow(bytes: Self.bytes))
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
            let port = try #require(server.localAddress?.port)
            let transport = AsyncHTTPTransport(
                trust: ServerTrust(), connectTimeout: .seconds(30), idleTimeout: .seconds(15),
                totalTimeout: .seconds(600), on: eventLoop)
            let answer = try await transport.send(
                HTTPTransportRequest(
                    method: "POST", url: try #require(URL(string: "http://127.0.0.1:\(port)/")),
                    headers: [], body: [UInt8](repeating: 0, count: Self.bytes)))
            #expect(answer.status == 200)
            try await server.close()
        }
    }
#endif
