#if Server
    import MoorageSupport
    import NIOCore
    import NIOEmbedded
    import TestSupport
    import Testing

    @testable import MoorageServer

    @Suite(.ownThreads) struct `A connection's first handler` {
        private func channel(
            _ counter: ConnectionCounter, _ proxies: TrustedProxies = TrustedProxies(ranges: []),
            departures: Departures = Departures(), from address: String = "127.0.0.1"
        ) throws -> EmbeddedChannel {
            let channel = EmbeddedChannel()
            channel.remoteAddress = try SocketAddress(ipAddress: address, port: 1)
            try channel.pipeline.syncOperations.addHandlers(
                ConnectionGuard(
                    counter: counter, departures: departures, proxies: proxies,
                    idleTimeout: .seconds(30), isEncrypted: true), UnwillingToClose())
            channel.connect(to: try SocketAddress(ipAddress: address, port: 1), promise: nil)
            return channel
        }

        /// As TLS does until the other side has taken its leave.
        private final class UnwillingToClose: ChannelOutboundHandler {
            typealias OutboundIn = ByteBuffer

            func close(
                context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
            ) {}
        }

        @Test func `cuts off who comes past the proxies, and counts nobody`() throws {
            let counter = ConnectionCounter(limit: 2)
            let strangers = Locked<[SocketAddress?]>([])
            let proxies = TrustedProxies(ranges: [try AddressRange("10.0.0.1")]) { address in
                strangers.withLock { $0.append(address) }
            }
            let stranger = try channel(counter, proxies, from: "10.0.0.2")
            #expect(!stranger.isActive)
            #expect(counter.open == 0)
            #expect(strangers.withLock { $0.count } == 1)
            let proxy = try channel(counter, proxies, from: "10.0.0.1")
            #expect(proxy.isActive)
            #expect(counter.open == 1)
        }

        @Test(arguments: [true, false])
        func `ends the work of who goes, also of who had gone before`(
            staysOpen: Bool
        ) async throws {
            let departures = Departures()
            let channel = NIOAsyncTestingChannel()
            try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.addHandler(
                    ConnectionGuard(
                        counter: ConnectionCounter(limit: 1), departures: departures,
                        proxies: TrustedProxies(ranges: []), idleTimeout: .seconds(30),
                        isEncrypted: false))
            }
            try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1))
            #expect(try await departures.watching(channel) { 1 } == 1)
            let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
            let endless: @Sendable () async throws -> Void = {
                continuation.finish()
                while true { try await Task.sleep(for: .seconds(86_400)) }
            }
            let task = Task { try await departures.watching(channel, endless) }
            for await _ in begun {}
            if staysOpen {
                try await channel.testingEventLoop.executeInContext {
                    channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
                }
            } else {
                try await channel.close()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
            await #expect(throws: CancellationError.self) {
                try await departures.watching(channel, endless)
            }
        }

        @Test func `closes who gives way at once, whatever TLS still waits for`() throws {
            let counter = ConnectionCounter(limit: 1)
            let first = try channel(counter)
            #expect(first.isActive)
            let second = try channel(counter)
            first.embeddedEventLoop.run()
            #expect(!first.isActive)
            #expect(second.isActive)
            #expect(counter.open == 1)
        }
    }
#endif
