#if Server
    import HummingbirdCore
    import Logging
    import NIOCore

    /// HTTP/1.1 with a ``ConnectionGuard`` in front.
    struct GuardedChannel: ServerChildChannel {
        let http: HTTP1Channel
        let counter: ConnectionCounter
        let idleTimeout: TimeAmount

        func setup(
            channel: any Channel, logger: Logger
        ) -> EventLoopFuture<HTTP1Channel.Value> {
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(
                    ConnectionGuard(counter: counter, idleTimeout: idleTimeout))
            }.flatMap { http.setup(channel: channel, logger: logger) }
        }

        func handle(value: HTTP1Channel.Value, logger: Logger) async {
            await http.handle(value: value, logger: logger)
        }
    }
#endif
