#if Server
    import AsyncHTTPClient
    import Foundation
    public import Moorage
    import MoorageWire
    package import NIOCore
    import NIOHTTP1
    import NIOPosix
    import NIOSSL

    /// Sends HTTP requests with AsyncHTTPClient, for the command line and for services on Linux.
    /// Use it for hubs whose certificate comes from the owner's own authority, or whose key is
    /// pinned.
    ///
    /// ```swift
    /// let transport = AsyncHTTPTransport(trust: try ServerTrust(authorities: pem))
    /// let hub = ReplicaHub.http(url, credentials: .token(token), transport: transport)
    /// let replica = try await Replica(database: queue, hub: hub, tables: tables)
    /// ```
    ///
    /// It follows no redirect. Its connections close when the last reference to it is gone.
    public final class AsyncHTTPTransport: HTTPTransport {
        private let client: HTTPClient
        private let eventLoop: any EventLoop
        private let trust: ServerTrust
        private let totalTimeout: Duration

        /// - Parameters:
        ///   - trust: Which servers it accepts as the hub.
        ///   - connectTimeout: How long it may take until there is a connection.
        ///   - idleTimeout: How long a connection may be silent.
        ///   - totalTimeout: How long one exchange may take in all. For a live stream, how long
        ///     until it begins.
        public convenience init(
            trust: ServerTrust = ServerTrust(), connectTimeout: Duration = .seconds(30),
            idleTimeout: Duration = .seconds(30), totalTimeout: Duration = .seconds(600)
        ) {
            // Uses NIO's own event loops on every platform, because Apple's TLS shows no
            // certificate.
            self.init(
                trust: trust, connectTimeout: connectTimeout, idleTimeout: idleTimeout,
                totalTimeout: totalTimeout, on: MultiThreadedEventLoopGroup.singleton.next())
        }

        package init(
            trust: ServerTrust, connectTimeout: Duration, idleTimeout: Duration,
            totalTimeout: Duration, on eventLoop: any EventLoop
        ) {
            var configuration = HTTPClient.Configuration(
                tlsConfiguration: trust.tlsConfiguration, redirectConfiguration: .disallow,
                timeout: .init(connect: TimeAmount(connectTimeout), read: TimeAmount(idleTimeout)))
            configuration.httpVersion = .http1Only
            // The replica retries by itself, with growing delays.
            configuration.connectionPool.retryConnectionEstablishment = false
            // Shorter than servers keep an idle connection: a request must not go into one that the
            // server is closing.
            configuration.connectionPool.idleTimeout = .seconds(15)
            configuration.http1_1ConnectionDebugInitializer = trust.connectionCheck
            client = HTTPClient(
                eventLoopGroupProvider: .shared(eventLoop), configuration: configuration)
            self.eventLoop = eventLoop
            self.trust = trust
            self.totalTimeout = totalTimeout
        }

        deinit { client.shutdown { _ in } }

        public func send(
            _ request: HTTPTransportRequest
        ) async throws -> HTTPTransportResponse {
            var message = HTTPClientRequest(url: request.url.absoluteString)
            message.method = HTTPMethod(rawValue: request.method)
            for header in request.headers {
                message.headers.add(name: header.name, value: header.value)
            }
            try trust.check(request.url)
            if !request.body.isEmpty {
                // Sent in pieces: the wait for an answer begins when the last piece is sent.
                message.body = .stream(
                    Pieces(bytes: ByteBuffer(bytes: request.body), eventLoop: eventLoop),
                    length: .known(Int64(request.body.count)))
            }
            let end = request.isOpenEnded ? nil : ContinuousClock.now + totalTimeout
            let response: HTTPClientResponse
            do {
                response = try await client.execute(message, timeout: TimeAmount(totalTimeout))
            } catch let error as HTTPClientError where error == .remoteConnectionClosed {
                throw Self.failure(HubError.closedBeforeAnswer)
            } catch { throw Self.failure(error) }
            var headers: [String: String] = [:]
            for (name, value) in response.headers {
                let name = name.lowercased()
                headers[name] = headers[name].map { "\($0), \(value)" } ?? value
            }
            let reader = BodyReader(response.body, of: self, until: end)
            let body = AsyncThrowingStream<[UInt8], any Error> { try await reader.next() }
            return HTTPTransportResponse(
                status: Int(response.status.code), headers: headers, body: body)
        }

        fileprivate static func failure(_ error: any Error) -> any Error {
            if error is CancellationError || Task.isCancelled { return CancellationError() }
            return ConnectionFailure.error(error)
        }
    }

    /// A request body that sends each piece only after the connection has taken the one before.
    private struct Pieces: AsyncSequence, Sendable {
        private static let pieceBytes = 32_768
        let bytes: ByteBuffer
        let eventLoop: any EventLoop

        struct AsyncIterator: AsyncIteratorProtocol {
            var rest: ByteBuffer
            let eventLoop: any EventLoop

            mutating func next() async throws -> ByteBuffer? {
                // The client learns from the connection's loop that its buffers are full. Without
                // this wait, a loop that is behind would take the whole body at once. The wait for
                // an answer would then begin too early.
                try await eventLoop.submit {}.get()
                if rest.readableBytes == 0 { return nil }
                return rest.readSlice(length: Swift.min(pieceBytes, rest.readableBytes))
            }
        }

        func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(rest: bytes, eventLoop: eventLoop)
        }
    }

    /// An answer's body, read piece by piece: what the reader does not take stays with the server.
    ///
    /// Unchecked: one task reads a body.
    private final class BodyReader: @unchecked Sendable {
        private var chunks: HTTPClientResponse.Body.AsyncIterator
        /// Keeps the transport alive until the body is read, because its `deinit` shuts the client
        /// down.
        private let transport: AsyncHTTPTransport
        private let end: ContinuousClock.Instant?

        init(
            _ body: HTTPClientResponse.Body, of transport: AsyncHTTPTransport,
            until end: ContinuousClock.Instant?
        ) {
            chunks = body.makeAsyncIterator()
            self.transport = transport
            self.end = end
        }

        func next() async throws -> [UInt8]? {
            if let end, end <= .now { throw HubError.answerTookTooLong }
            do {
                return try await chunks.next().map { Array($0.readableBytesView) }
            } catch { throw AsyncHTTPTransport.failure(error) }
        }
    }
#endif
