#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOSSL

    #if os(Linux)
        import Glibc
    #endif

    /// HTTP/1.1 with a ``ConnectionGuard`` in front, and TLS between them when the server ends TLS.
    struct GuardedChannel: ServerChildChannel {
        let http: HTTP1Channel
        let counter: ConnectionCounter
        let departures: Departures
        let proxies: TrustedProxies
        let idleTimeout: TimeAmount
        let certificate: CurrentCertificate?

        func setup(
            channel: any Channel, logger: Logger
        ) -> EventLoopFuture<HTTP1Channel.Value> {
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(
                    ConnectionGuard(
                        counter: counter, departures: departures, proxies: proxies,
                        idleTimeout: idleTimeout, isEncrypted: certificate != nil))
                if let certificate {
                    try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
                }
            }
            .flatMap { noticeDeadPeers(channel) }
            .flatMap { http.setup(channel: channel, logger: logger) }
        }

        /// Makes the system close a connection when its client acknowledged nothing for the idle
        /// time-out. Otherwise, the system accepts writes to a vanished client for a quarter of an
        /// hour: a live stream's heartbeats are a few bytes each.
        private func noticeDeadPeers(_ channel: any Channel) -> EventLoopFuture<Void> {
            #if os(Linux)
                let option = ChannelOptions.Types.SocketOption(
                    level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT))
                let milliseconds = Int(idleTimeout.nanoseconds / 1_000_000)
                // Without this option, the system's own time applies.
                return channel.setOption(option, value: max(1, milliseconds))
                    .flatMapErrorThrowing { _ in }
            #else
                return channel.eventLoop.makeSucceededVoidFuture()
            #endif
        }

        func handle(value: HTTP1Channel.Value, logger: Logger) async {
            await http.handle(value: value, logger: logger)
        }
    }
#endif
