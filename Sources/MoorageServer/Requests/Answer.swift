#if Server
    import Hummingbird
    import HummingbirdCore
    import MoorageWire
    import NIOCore

    /// One answer: either a whole document with its status, or frames, one a line, whose head goes
    /// out with the first.
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
            strictTransport: String?
        ) {
            self.channel = channel
            self.writer = consume writer
            self.id = id
            self.strictTransport = strictTransport
        }

        /// Whether frames are under way: an error is then a frame too.
        var hasBegun: Bool { body != nil }

        func send(
            status: Int, _ document: [UInt8], fields: [(HTTPFields.Element.Name, String)] = []
        ) async throws {
            try await recordingFailure {
                guard let writer = writer.take() else { return }
                var head = head(status: status, type: "application/json")
                head.headerFields[.contentLength] = String(document.count)
                for (name, value) in fields { head.headerFields[name] = value }
                try await writer.write(
                    response: head,
                    body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
            }
        }

        /// Writes a frame; returns when the connection has taken it.
        func write(_ frame: Frame) async throws {
            try await recordingFailure {
                if let writer = writer.take() {
                    body = try await writer.writeHead(
                        head(status: 200, type: "application/x-ndjson"))
                }
                var buffer = ByteBuffer(bytes: frame.encoded())
                buffer.writeInteger(UInt8(ascii: "\n"))
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
            try await recordingFailure {
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
