import Foundation
package import Moorage

/// Counts the bytes of bodies as they travel: compressed where they are.
package struct CountingTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let bytes: TravelledBytes

    package init(base: any HTTPTransport, bytes: TravelledBytes) {
        self.base = base
        self.bytes = bytes
    }

    package func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
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
/// Unchecked: all access to `total` is under the lock.
package final class TravelledBytes: @unchecked Sendable {
    package struct Count: Hashable, Sendable {
        package var up = 0
        package var down = 0

        package init(up: Int = 0, down: Int = 0) {
            self.up = up
            self.down = down
        }

        package static func - (all: Count, earlier: Count) -> Count {
            Count(up: all.up - earlier.up, down: all.down - earlier.down)
        }
    }

    private let lock = NSLock()
    private var total = Count()

    package init() {}

    package var count: Count { lock.withLock { total } }

    fileprivate func add(up: Int = 0, down: Int = 0) {
        lock.withLock {
            total.up += up
            total.down += down
        }
    }
}

/// Unchecked: one task reads a body.
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
