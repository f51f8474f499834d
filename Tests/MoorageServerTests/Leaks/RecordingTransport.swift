#if Server
    import Moorage
    import MoorageAsyncHTTP
    import MoorageSupport
    import MoorageTesting
    import MoorageWire

    @testable import MoorageServer

    /// Writes down what goes over the wire and back, as a proxy on the way would see it.
    final class RecordingTransport: HTTPTransport {
        struct Exchange: Sendable {
            let sent: Set<Canary>
            let received: Set<Canary>
        }

        private let base = AsyncHTTPTransport()
        private let exchanges = Locked<[Exchange]>([])

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            let answer = try await base.send(request)
            var bytes: [UInt8] = []
            // What came before it broke off was received, too.
            defer {
                let head = answer.headers.map { "\($0): \($1)\n" }.joined()
                let exchange = Exchange(
                    sent: Canary.all(in: Self.readable(request.body)),
                    received: Canary.all(in: Self.readable(bytes) + Array(head.utf8)))
                exchanges.withLock { $0.append(exchange) }
            }
            for try await chunk in answer.body { bytes += chunk }
            let body = bytes
            return HTTPTransportResponse(
                status: answer.status, headers: answer.headers,
                body: AsyncThrowingStream {
                    $0.yield(body)
                    $0.finish()
                })
        }

        /// A body as text: unpacked, and with blocks as the JSON of the same frames. What is neither, or
        /// breaks off, stays as it is.
        private static func readable(_ bytes: [UInt8]) -> [UInt8] {
            let isPacked = bytes.starts(with: Compression.magic)
            let plain = isPacked ? (try? unpacked(bytes, limit: 100_000_000).plain) ?? bytes : bytes
            guard plain.starts(with: WireEncoding.blocks.beginning) else { return plain }
            if let request = try? ExchangeRequest(decoding: plain) { return request.encoded() }
            var reader = FrameReader(.blocks, maximumFrameBytes: 100_000_000)
            reader.add(plain)
            var text: [UInt8] = []
            while let frame = try? reader.next() { text += frame.encoded() }
            return text
        }

        /// What was recorded since the last time.
        func drain() -> [Exchange] {
            exchanges.withLock { exchanges in
                defer { exchanges = [] }
                return exchanges
            }
        }
    }

    /// A value or key that is found again wherever it turns up: each is written once and no other text
    /// looks like it.
    struct Canary: Hashable, CustomStringConvertible {
        let number: Int

        var description: String { "zq\(number)qz" }

        static func all(in bytes: [UInt8]) -> Set<Canary> {
            var found: Set<Canary> = []
            var index = 0
            while index + 4 < bytes.count {
                guard bytes[index] == UInt8(ascii: "z"), bytes[index + 1] == UInt8(ascii: "q")
                else {
                    index += 1
                    continue
                }
                index += 2
                var number = 0
                while index < bytes.count, (0x30...0x39).contains(bytes[index]), number < 1 << 40 {
                    number = number * 10 + Int(bytes[index] - 0x30)
                    index += 1
                }
                if index + 1 < bytes.count, bytes[index] == UInt8(ascii: "q"),
                    bytes[index + 1] == UInt8(ascii: "z")
                {
                    found.insert(Canary(number: number))
                }
            }
            return found
        }
    }
#endif
