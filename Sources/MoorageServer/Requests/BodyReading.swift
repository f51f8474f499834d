#if Server
    import Hummingbird
    import HummingbirdCore
    import MoorageWire
    import NIOCore

    /// Reads one request's body within the limits of its bytes, of all requests' bytes, and of
    /// time.
    struct BodyReading {
        /// The lowest speed that the server accepts, over the whole body and beyond the idle
        /// time-out.
        private static let minimumBytesPerSecond = 1_024

        let request: Request
        let limits: HubServer.Limits
        private var hasEnded = false
        /// Why the body could not be read: the client is gone, or what it sends is not HTTP.
        private(set) var failure: (any Error)?

        init(request: Request, limits: HubServer.Limits) {
            self.request = request
            self.limits = limits
        }

        /// Whether nothing of the request is left to read.
        var isWhole: Bool { hasEnded || !hasBody }

        private var hasBody: Bool {
            request.headers[.transferEncoding] != nil
                || (request.headers[.contentLength] ?? "0") != "0"
        }

        mutating func bytes(
            _ reservation: Admission.Reservation
        ) async throws -> [UInt8] {
            let unpacking = try unpacking()
            if let length = request.headers[.contentLength].flatMap({ Int($0) }) {
                try check(length)
            }
            var bytes: [UInt8] = []
            /// Bytes as they arrived, before unpacking.
            var received = 0
            let start = ContinuousClock.now
            var iterator = request.body.makeAsyncIterator()
            while let piece = try await next(&iterator) {
                received += piece.readableBytes
                // Compressed bytes may unpack to nothing, so they count too.
                try check(received)
                func add(_ plain: some Collection<UInt8>) throws {
                    try check(bytes.count + plain.count)
                    try reservation.add(plain.count)
                    bytes.append(contentsOf: plain)
                }
                if let unpacking {
                    unpacking.add(Array(piece.readableBytesView))
                    while let plain = try unpacking.read() { try add(plain) }
                } else {
                    try add(piece.readableBytesView)
                }
                let allowed =
                    limits.idleTimeout + .seconds(received / Self.minimumBytesPerSecond)
                guard start.duration(to: .now) <= allowed else { throw HubError.requestTooSlow }
            }
            hasEnded = true
            guard unpacking?.isAtEnd != false else { throw HubError.incompleteBody }
            return bytes
        }

        /// What unpacks the body; `nil` for a body that is not compressed.
        private func unpacking() throws -> GzipReader? {
            switch request.headers[values: .contentEncoding].map({ $0.lowercased() }) {
            case [], ["identity"]: nil
            case [Compression.name]: try GzipReader(limit: limits.maximumBodyBytes)
            default: throw HTTPRefusal.encodedBody
            }
        }

        private mutating func next(
            _ iterator: inout RequestBody.AsyncIterator
        ) async throws -> ByteBuffer? {
            do {
                return try await iterator.next()
            } catch {
                failure = error
                throw error
            }
        }

        private func check(_ count: Int) throws(HubError) {
            guard count <= limits.maximumBodyBytes else {
                throw HubError.requestTooLarge(limits.maximumBodyBytes)
            }
        }
    }
#endif
