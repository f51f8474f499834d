#if Server
    import HummingbirdCore
    import Logging
    import NIOCore
    import NIOSSL

    /// HTTP/1.1 with a ``ConnectionGuard`` in front, and TLS between them where the server ends it.
    struct GuardedChannel: ServerChildChannel {
        let http: HTTP1Channel
        let counter: ConnectionCounter
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
                        counter: counter, proxies: proxies, idleTimeout: idleTimeout,
                        isEncrypted: certificate != nil))
                if let certificate {
                    try pipeline.addHandler(NIOSSLServerHandler(context: certificate.context))
                }
            }.flatMap { http.setup(channel: channel, logger: logger) }
        }

        func handle(value: HTTP1Channel.Value, logger: Logger) async {
            await http.handle(value: value, logger: logger)
        }
    }
#endif
