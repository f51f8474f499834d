#if Server
    import Hummingbird
    import HummingbirdCore
    import MoorageWire
    import NIOCore

    /// One answer: either a whole document with its status, or frames, whose head goes
    /// out when there is enough to say.
    ///
    /// Unchecked: one request is answered by one task; the hub hands on frames one after the other
    /// (``HubConnection``), so no two calls overlap.
    final class Answer: @unchecked Sendable {
        /// A page goes out in pieces of this size: each piece that the client takes is progress, so
        /// that a slow link is told from a dead one.
        private static let pieceBytes = 32_768
        /// So many pieces are on their way to the event loop at most, besides what the socket holds.
        private static let piecesAtOnce = 8

        let id: String
        private let strictTransport: String?
        private let channel: any Channel
        private var writer: ResponseWriter?
        private var body: (any ResponseBodyWriter)?
        /// Why nothing more can be written: the client is gone, or too slow.
        private(set) var failure: (any Error)?

        init(
            _ writer: consuming ResponseWriter, on channel: any Channel, id: String,
            encoding: AnswerEncoding, strictTransport: String?
        ) {
            self.encoding = encoding
            self.channel = channel
            self.writer = consume writer
            self.id = id
            self.strictTransport = strictTransport
        }

        /// Whether frames are under way: an error is then a frame too.
        private(set) var hasBegun = false
        /// How the frames go out.
        private let encoding: AnswerEncoding
        /// Frames that wait for others; `nil` once the head is out.
        private var held: [UInt8]?
        private var heldSince = ContinuousClock.now
        private var packing: GzipWriter?

        func send(
            status: Int, _ document: [UInt8], type: String = "application/json",
            fields: [(HTTPFields.Element.Name, String)] = []
        ) async throws {
            try await recordingFailure {
                guard let writer = writer.take() else { return }
                var head = head(status: status, type: type)
                head.headerFields[.contentLength] = String(document.count)
                for (name, value) in fields { head.headerFields[name] = value }
                try await writer.write(
                    response: head,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
            }
        }

        /// Writes a frame; returns when the connection has taken it. The first ones wait for each other
        /// until they are worth a compressed answer: most answers are a few hundred bytes.
        func write(_ frame: Frame) async throws {
            hasBegun = true
            if held == nil, body == nil {
                held = encoding.wire.beginning
                heldSince = .now
            }
            guard let first = held else { return try await send(encoding.wire.encoded(frame)) }
            let bytes = first + encoding.wire.encoded(frame)
            held = bytes
            // A client that hears nothing for long goes away: what took long is told at once.
            guard
                bytes.count >= AnswerEncoding.packedFrom
                    || heldSince.duration(to: .now) >= .seconds(1)
            else { return }
            held = nil
            try await recordingFailure {
                guard let writer = writer.take() else { return }
                var head = head(status: 200, type: encoding.wire.answerType)
                head.headerFields[.vary] = "Accept, Accept-Encoding"
                if encoding.takesGzip {
                    head.headerFields[.contentEncoding] = GzipWriter.name
                    packing = try GzipWriter()
                }
                body = try await writer.writeHead(head)
            }
            try await send(bytes)
        }

        private func send(_ plain: [UInt8]) async throws {
            try await recordingFailure {
                var buffer = ByteBuffer(bytes: packing?.write(plain) ?? plain)
                var pieces = 0
                while let piece = buffer.readSlice(
                    length: min(Self.pieceBytes, buffer.readableBytes)), piece.readableBytes > 0
                {
                    try await body?.write(piece)
                    pieces += 1
                    if pieces % Self.piecesAtOnce == 0 { try await catchUp() }
                }
                try await catchUp()
            }
        }

        func finish() async throws {
            if let held {
                return try await send(
                    status: 200, held, type: encoding.wire.answerType,
                    fields: [(.vary, "Accept, Accept-Encoding")])
            }
            try await recordingFailure {
                if let packing {
                    try await body?.write(ByteBuffer(bytes: packing.write([], isLast: true)))
                }
                try await body?.finish(nil)
                body = nil
            }
        }

        /// Waits until the event loop has taken what was written: a write alone returns before, so
        /// that a fast producer would queue a whole answer in memory.
        private func catchUp() async throws {
            try await channel.eventLoop.submit {}.get()
        }

        private func recordingFailure(_ write: () async throws -> Void) async throws {
            do {
                try await write()
            } catch {
                failure = error
                throw error
            }
        }

        private func head(status: Int, type: String) -> HTTPResponse {
            var fields = HTTPFields()
            fields[.contentType] = type
            fields[.cacheControl] = "no-store"
            fields[.xContentTypeOptions] = "nosniff"
            if let strictTransport { fields[.strictTransportSecurity] = strictTransport }
            if let name = HTTPFields.Element.Name("x-request-id") { fields[name] = id }
            return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
        }
    }
#endif
