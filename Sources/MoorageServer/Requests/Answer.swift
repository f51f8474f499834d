#if Server
    import Hummingbird
    import HummingbirdCore
    import MoorageHub
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
        private var stage = Stage.silent
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

        private enum Stage {
            case silent
            /// Frames that wait for others.
            case holding([UInt8])
            /// The head is out.
            case open(any ResponseBodyWriter)
            case over
        }

        /// Whether frames are under way: an error is then a frame too.
        var hasBegun: Bool { if case .silent = stage { false } else { true } }
        /// How the frames go out.
        private let encoding: AnswerEncoding
        /// When the request came: a client that hears nothing for long goes away.
        private let began = ContinuousClock.now
        private var packing: GzipWriter?
        /// The answer stays open once the replica has caught up. It is not compressed: what many get alike
        /// is encoded once for all of them, and the state of a compressor takes more than all else of a stream.
        private var isLive = false

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
            if case .welcome(let welcome) = frame { isLive = welcome.live != nil }
            let bytes = encoding.wire.encoded(frame)
            let held: [UInt8]
            switch stage {
            case .silent: held = encoding.wire.beginning + bytes
            case .holding(let first): held = first + bytes
            case .open: return try await send(bytes)
            case .over: return
            }
            stage = .holding(held)
            // What took long is told at once.
            if isCaughtUpLive(frame) || held.count >= AnswerEncoding.packedFrom
                || began.duration(to: .now) >= .seconds(1)
            {
                try await flush()
            }
        }

        /// Sends the frames that wait: what comes next may take long.
        func flush() async throws {
            guard case .holding(let held) = stage else { return }
            var head = head(status: 200, type: encoding.wire.answerType)
            head.headerFields[.vary] = "Accept, Accept-Encoding"
            if isLive {
                // Proxies would keep it until it ends.
                if let name = HTTPFields.Element.Name("x-accel-buffering") {
                    head.headerFields[name] = "no"
                }
            } else if encoding.acceptsGzip {
                // Without memory for it nothing is out yet, and the error comes with its status.
                stage = .silent
                packing = try GzipWriter()
                head.headerFields[.contentEncoding] = GzipWriter.name
            }
            try await recordingFailure {
                guard let writer = writer.take() else { return }
                stage = .open(try await writer.writeHead(head))
            }
            try await send(held)
        }

        /// Writes a frame of a live stream.
        func write(_ frame: SharedFrame) async throws {
            try await send(frame.encoded(in: encoding.wire))
        }

        /// From here on the answer is open, and nothing comes soon.
        private func isCaughtUpLive(_ frame: Frame) -> Bool {
            if isLive, case .page(let page) = frame { page.isCaughtUp } else { false }
        }

        private func send(_ plain: [UInt8]) async throws {
            guard case .open(var body) = stage else { return }
            try await recordingFailure {
                let bytes = packing?.write(plain) ?? plain
                var pieces = 0
                // Copied piece by piece: many answers may write the same bytes.
                for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
                    let piece = bytes[start..<min(start + Self.pieceBytes, bytes.count)]
                    try await body.write(ByteBuffer(bytes: piece))
                    pieces += 1
                    if pieces % Self.piecesAtOnce == 0 { try await catchUp() }
                }
                try await catchUp()
            }
            stage = .open(body)
        }

        func finish() async throws {
            let last = stage
            stage = .over
            switch last {
            case .holding(let held):
                try await send(
                    status: 200, held, type: encoding.wire.answerType,
                    fields: [(.vary, "Accept, Accept-Encoding")])
            case .open(var body):
                try await recordingFailure {
                    if let packing {
                        try await body.write(ByteBuffer(bytes: packing.write([], isLast: true)))
                    }
                    try await body.finish(nil)
                }
            case .silent, .over: break
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
