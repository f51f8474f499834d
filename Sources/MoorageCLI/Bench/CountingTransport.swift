#if Server
    import Foundation
    import Moorage

    /// Counts what travels in bodies, as it travels: compressed where it is.
    struct CountingTransport: HTTPTransport {
        let base: any HTTPTransport
        let bytes: TravelledBytes

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            bytes.add(up: request.body.count)
            let response = try await base.send(request)
            let chunks = CountedChunks(response.body, bytes)
            return HTTPTransportResponse(
                status: response.status, headers: response.headers,
                body: AsyncThrowingStream { try await chunks.next() })
        }
    }

    /// Bytes of bodies, up to the server and down from it.
    ///
    /// Unchecked: `total` is only touched under the lock.
    final class TravelledBytes: @unchecked Sendable {
        struct Count: Hashable, Sendable {
            var up = 0
            var down = 0

            static func - (all: Count, earlier: Count) -> Count {
                Count(up: all.up - earlier.up, down: all.down - earlier.down)
            }
        }

        private let lock = NSLock()
        private var total = Count()

        var count: Count { lock.withLock { total } }

        func add(up: Int = 0, down: Int = 0) {
            lock.withLock {
                total.up += up
                total.down += down
            }
        }
    }

    /// Unchecked: a body is read by one task.
    private final class CountedChunks: @unchecked Sendable {
        private var chunks: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
        private let bytes: TravelledBytes

        init(_ body: AsyncThrowingStream<[UInt8], any Error>, _ bytes: TravelledBytes) {
            chunks = body.makeAsyncIterator()
            self.bytes = bytes
        }

        func next() async throws -> [UInt8]? {
            let chunk = try await chunks.next()
            bytes.add(down: chunk?.count ?? 0)
            return chunk
        }
    }
#endif
