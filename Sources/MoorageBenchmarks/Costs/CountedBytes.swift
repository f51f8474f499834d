import Foundation
import Moorage

/// Carries requests, and counts the bytes of bodies as they travel.
struct CountedTransport: HTTPTransport {
    let base: any HTTPTransport
    let bytes: CountedBytes

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        bytes.add(up: request.body.count)
        let response = try await base.send(request)
        let chunks = Chunks(response.body, bytes)
        return HTTPTransportResponse(
            status: response.status, headers: response.headers,
            body: AsyncThrowingStream { try await chunks.next() })
    }

    /// Unchecked: a body is read by one task.
    private final class Chunks: @unchecked Sendable {
        private var chunks: AsyncThrowingStream<[UInt8], any Error>.AsyncIterator
        private let bytes: CountedBytes

        init(_ body: AsyncThrowingStream<[UInt8], any Error>, _ bytes: CountedBytes) {
            chunks = body.makeAsyncIterator()
            self.bytes = bytes
        }

        func next() async throws -> [UInt8]? {
            let chunk = try await chunks.next()
            bytes.add(down: chunk?.count ?? 0)
            return chunk
        }
    }
}

/// Unchecked: the counts are only touched under the lock.
final class CountedBytes: @unchecked Sendable {
    private let lock = NSLock()
    private var counts = (up: 0, down: 0)

    var count: (up: Int, down: Int) { lock.withLock { counts } }

    func add(up: Int = 0, down: Int = 0) {
        lock.withLock { counts = (counts.up + up, counts.down + down) }
    }
}
