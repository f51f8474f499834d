#if Server
    import MoorageWire
    import NIOCore

    /// The first handler of every connection. It counts the connection, and refuses it beyond the
    /// limit or from an address that may not connect. It closes the connection when its client
    /// reads nothing of an answer for too long, and says when the client has gone.
    ///
    /// Hummingbird closes the connection of a client that sends nothing, but has no time-out for
    /// writing.
    final class ConnectionGuard: ChannelDuplexHandler {
        typealias InboundIn = ByteBuffer
        typealias InboundOut = ByteBuffer
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        /// The whole answer to a connection beyond the limit.
        private static let refusal: ByteBuffer = {
            let error = HubError.tooManyConnections
            let body = String(decoding: error.encoded(), as: UTF8.self)
            var lines = [
                "HTTP/1.1 503 Service Unavailable", "content-type: application/json",
                "content-length: \(body.utf8.count)", "cache-control: no-store",
            ]
            if let wait = error.retryAfterField { lines.append("retry-after: \(wait)") }
            lines += ["connection: close", "", body]
            return ByteBuffer(string: lines.joined(separator: "\r\n"))
        }()

        private let counter: ConnectionCounter
        private let departures: Departures
        private let proxies: TrustedProxies
        private let idleTimeout: TimeAmount
        private let isEncrypted: Bool
        private var entry: ConnectionCounter.Entry?
        private var pendingWrites = 0
        private var lastProgress = NIODeadline.now()
        private var isCheckScheduled = false

        init(
            counter: ConnectionCounter, departures: Departures, proxies: TrustedProxies,
            idleTimeout: TimeAmount, isEncrypted: Bool
        ) {
            self.counter = counter
            self.departures = departures
            self.proxies = proxies
            self.idleTimeout = idleTimeout
            self.isEncrypted = isEncrypted
        }

        func channelActive(context: ChannelHandlerContext) {
            let channel = context.channel
            guard proxies.mayConnect(channel.remoteAddress) else {
                proxies.onStranger(channel.remoteAddress)
                return context.close(promise: nil)
            }
            // Closes from this handler, not from the channel's end: there, TLS would wait for the
            // other side to close.
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            let entry = counter.enter(ObjectIdentifier(channel)) {
                bound.eventLoop.execute { bound.value.close(promise: nil) }
            }
            self.entry = entry
            switch entry {
            case .admitted: context.fireChannelActive()
            // Before a TLS handshake, the client could not read the reason.
            case .refused where !isEncrypted: refuse(context)
            case .refused, .dropped: context.close(promise: nil)
            }
        }

        func channelInactive(context: ChannelHandlerContext) {
            if let entry { counter.leave(ObjectIdentifier(context.channel), entry) }
            entry = nil
            departures.closed(ObjectIdentifier(context.channel))
            context.fireChannelInactive()
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case .inputClosed? = event as? ChannelEvent {
                departures.left(ObjectIdentifier(context.channel))
            }
            context.fireUserInboundEventTriggered(event)
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard entry == .admitted else { return }
            context.fireChannelRead(data)
        }

        func write(
            context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
        ) {
            let promise = promise ?? context.eventLoop.makePromise()
            if pendingWrites == 0 { lastProgress = .now() }
            pendingWrites += 1
            promise.futureResult.assumeIsolated().whenComplete { _ in
                self.pendingWrites -= 1
                self.lastProgress = .now()
            }
            context.write(data, promise: promise)
            scheduleCheck(context, in: idleTimeout)
        }

        private func scheduleCheck(_ context: ChannelHandlerContext, in delay: TimeAmount) {
            guard !isCheckScheduled else { return }
            isCheckScheduled = true
            context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
                self.isCheckScheduled = false
                guard self.pendingWrites > 0, context.channel.isActive else { return }
                let idle = NIODeadline.now() - self.lastProgress
                if idle >= self.idleTimeout {
                    context.close(promise: nil)
                } else {
                    self.scheduleCheck(context, in: self.idleTimeout - idle)
                }
            }
        }

        /// Sends the reason and keeps the connection for a moment, so that data from the client
        /// does not cut the answer off.
        private func refuse(_ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(.byteBuffer(Self.refusal)))
                .assumeIsolated().whenComplete { _ in context.close(mode: .output, promise: nil) }
            context.eventLoop.assumeIsolated().scheduleTask(in: .seconds(1)) {
                context.close(promise: nil)
            }
        }
    }
#endif
