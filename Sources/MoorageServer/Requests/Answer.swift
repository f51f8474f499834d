#if Server
    import Hummingbird
    import HummingbirdCore
    import MoorageHub
    import MoorageWire
    import NIOCore

    /// One answer: either a whole document with its status, or frames. The head of frames goes out
    /// when enough of them wait.
    ///
    /// Unchecked: one task answers one request, and the hub delivers frames one after the other
    /// (``HubConnection``). No two calls overlap.
    final class Answer: @unchecked Sendable {
        /// A page goes out in pieces of this size. Each piece that the client takes is progress,
        /// which distinguishes a slow link from a dead one.
        private static let pieceBytes = 32_768
        /// The most pieces that wait for the event loop at once, in addition to the socket's
        /// buffer.
        private static let piecesAtOnce = 8

        let id: String
        /// Whether the answer has no body, whatever its head says of one.
        private let isHead: Bool
        private let strictTransport: String?
        /// What each answer says to the browser of a page of another site.
        private let crossOrigin: [(HTTPFields.Element.Name, String)]
        private let channel: any Channel
        private var writer: ResponseWriter?
        private var stage = Stage.silent
        /// Why nothing more can be written: the client is gone, or too slow.
        private(set) var failure: (any Error)?

        init(
            _ writer: consuming ResponseWriter, on channel: any Channel, id: String,
            encoding: AnswerEncoding, isHead: Bool = false, strictTransport: String?,
            crossOrigin: [(HTTPFields.Element.Name, String)]
        ) {
            self.isHead = isHead
            self.encoding = encoding
            self.channel = channel
            self.writer = consume writer
            self.id = id
            self.strictTransport = strictTransport
            self.crossOrigin = crossOrigin
        }

        private enum Stage {
            case silent
            /// Frames that wait for others.
            case holding([UInt8])
            /// The head was sent.
            case open(any ResponseBodyWriter)
            case over
        }

        /// Whether frames were written: an error is then a frame too.
        var hasBegun: Bool { if case .silent = stage { false } else { true } }
        /// How the frames are encoded.
        private let encoding: AnswerEncoding
        /// When the request arrived: a client that receives nothing for too long gives up.
        private let began = ContinuousClock.now
        private var packing: GzipWriter?
        /// Whether the answer is a live stream, which stays open after the replica has caught up. A
        /// live stream is not compressed, because a frame for many streams is encoded once for all
        /// of them. A compressor's state would also take more memory than all else of a stream.
        private var isLive = false

        func send(
            status: Int, _ document: [UInt8], type: String? = "application/json",
            fields: [(HTTPFields.Element.Name, String)] = []
        ) async throws {
            try await recordingFailure {
                guard let writer = writer.take() else { return }
                var head = head(status: status, type: type)
                // An answer of these kinds has no body, and no length of one.
                let hasBody = status != 204 && status != 304
                if hasBody { head.headerFields[.contentLength] = String(document.count) }
                for (name, value) in fields { head.headerFields.append(name, value) }
                guard hasBody, !isHead else {
                    return try await writer.write(response: head, body: ResponseBody())
                }
                guard document.count > Self.pieceBytes else {
                    return try await writer.write(
                        response: head,
                        body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
                }
                var body: any ResponseBodyWriter = try await writer.writeHead(head)
                try await write(document, to: &body)
                try await body.finish(nil)
            }
        }

        /// Writes piece by piece, each of which the client takes before there are many.
        private func write(
            _ bytes: [UInt8], to body: inout any ResponseBodyWriter
        ) async throws {
            var pieces = 0
            // Copies piece by piece, because many answers may write the same bytes.
            for start in stride(from: 0, to: bytes.count, by: Self.pieceBytes) {
                let piece = bytes[start..<min(start + Self.pieceBytes, bytes.count)]
                try await body.write(ByteBuffer(bytes: piece))
                pieces += 1
                if pieces % Self.piecesAtOnce == 0 { try await catchUp() }
            }
            try await catchUp()
        }

        /// Writes a frame and returns when the connection has taken it. The first frames wait until
        /// together they are worth compressing: most answers are a few hundred bytes.
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
            // An answer that already took long goes out at once.
            if isCaughtUpLive(frame) || held.count >= AnswerEncoding.packedFrom
                || began.duration(to: .now) >= .seconds(1)
            {
                try await flush()
            }
        }

        /// Sends the head of an answer of bytes. It stays open until ``finish()``, and is not
        /// compressed, as a live stream is not.
        func open(
            status: Int, type: String?, fields: [(HTTPFields.Element.Name, String)]
        ) async throws {
            var head = head(status: status, type: type)
            for (name, value) in fields { head.headerFields.append(name, value) }
            try await recordingFailure {
                guard let writer = writer.take() else { return }
                stage = .open(try await writer.writeHead(head))
            }
        }

        /// Writes bytes of such an answer, and returns when the connection has taken them.
        func write(_ bytes: [UInt8]) async throws { try await send(bytes) }

        /// Sends the waiting frames, because the next one may take long.
        func flush() async throws {
            guard case .holding(let held) = stage else { return }
            var head = head(status: 200, type: encoding.wire.answerType)
            head.headerFields.append(.vary, "Accept, Accept-Encoding")
            if isLive {
                // Otherwise, proxies would buffer the stream until it ends.
                if let name = HTTPFields.Element.Name("x-accel-buffering") {
                    head.headerFields[name] = "no"
                }
            } else if encoding.acceptsGzip {
                // When there is no memory for the compressor, nothing was sent yet, so the error
                // goes out with its status.
                stage = .silent
                packing = try GzipWriter()
                head.headerFields[.contentEncoding] = Compression.name
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

        /// Whether this is the page after which a live stream is open and nothing follows soon.
        private func isCaughtUpLive(_ frame: Frame) -> Bool {
            if isLive, case .page(let page) = frame { page.isCaughtUp } else { false }
        }

        private func send(_ plain: [UInt8]) async throws {
            guard case .open(var body) = stage else { return }
            try await recordingFailure {
                try await write(packing?.write(plain) ?? plain, to: &body)
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

        /// Waits until the event loop has taken what was written. A write alone returns earlier, so
        /// a fast producer would queue a whole answer in memory.
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

        private func head(status: Int, type: String?) -> HTTPResponse {
            var fields = HTTPFields()
            if let type { fields[.contentType] = type }
            fields[.cacheControl] = "no-store"
            fields[.xContentTypeOptions] = "nosniff"
            if let strictTransport { fields[.strictTransportSecurity] = strictTransport }
            if let name = HTTPFields.Element.Name("x-request-id") { fields[name] = id }
            for (name, value) in crossOrigin { fields.append(name, value) }
            return HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
        }
    }

    extension HTTPFields {
        /// Adds a field beside others of its name.
        fileprivate mutating func append(_ name: HTTPFields.Element.Name, _ value: String) {
            append(HTTPFields.Element(name: name, value: value))
        }
    }
#endif
