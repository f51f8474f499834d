import MoorageSupport
import MoorageWire

/// The encoding of requests to the hub. It is JSON until the hub has answered in blocks. Such an
/// answer shows that the hub accepts blocks and compressed bodies.
final class NegotiatedEncoding: Sendable {
    private let acceptsBlocks = Locked(false)

    var encoding: WireEncoding { acceptsBlocks.withLock { $0 } ? .blocks : .json }

    func heard() { acceptsBlocks.withLock { $0 = true } }

    func forget() { acceptsBlocks.withLock { $0 = false } }
}

/// A request's body as it goes out.
struct RequestBody {
    /// Below this size compression saves no packet.
    private static let packedFrom = 1_024

    let type: String
    let bytes: [UInt8]
    let isPacked: Bool
    /// Whether the answer may become a live stream.
    let isLive: Bool

    init(json: [UInt8]) {
        type = WireEncoding.json.requestType
        bytes = json
        isPacked = false
        isLive = false
    }

    init(_ request: ExchangeRequest, in encoding: WireEncoding) throws {
        let plain = encoding.encoded(request)
        type = encoding.requestType
        isLive = request.isLive
        isPacked =
            Compression.isAvailable && encoding == .blocks && plain.count >= Self.packedFrom
        bytes = isPacked ? try GzipWriter().write(plain, isLast: true) : plain
    }
}

/// An answer's body, decompressed if it is compressed. Some transports decompress it and leave the
/// header that says so. So the bytes decide.
struct Unpacking {
    private let limit: Int
    /// How many bytes arrived.
    private var received = 0
    private var reader: GzipReader?
    /// The first bytes until they are enough to decide, or a plain piece that was not asked for
    /// yet.
    private var held: [UInt8] = []
    private var isDecided = false

    init(limit: Int) { self.limit = limit }

    /// Takes a piece, after the previous one was read to its end.
    ///
    /// - Throws: ``HubError`` `tooLarge` beyond the limit.
    mutating func add(_ piece: [UInt8]) throws {
        // Count them as they arrive: compressed bytes may decompress to nothing.
        received += piece.count
        guard received <= limit else {
            throw HubError.answerTooLarge
        }
        held += piece
        if !isDecided {
            guard held.count >= Compression.magic.count else { return }
            isDecided = true
            if held.starts(with: Compression.magic) { reader = try GzipReader(limit: limit) }
        }
        if let reader {
            reader.add(held)
            held = []
        }
    }

    /// The next part of the piece, a small one if it was compressed; `nil` when nothing is left.
    ///
    /// - Throws: ``HubError`` `tooLarge` beyond the limit, `malformed` for damaged bytes.
    mutating func next() throws -> [UInt8]? {
        if let reader { return try reader.read() }
        guard isDecided, !held.isEmpty else { return nil }
        defer { held = [] }
        return held
    }

    /// The bytes of a body that was too short to decide.
    var rest: [UInt8] { isDecided ? [] : held }

    /// Whether the compressed bytes are complete.
    var isWhole: Bool { reader?.isAtEnd ?? true }
}

extension HTTPTransportResponse {
    func hasType(_ type: String) -> Bool {
        headers["content-type"]?.lowercased().hasPrefix(type) == true
    }
}
