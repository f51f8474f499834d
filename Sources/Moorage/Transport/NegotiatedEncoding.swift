import MoorageSupport
import MoorageWire

/// Which encoding the hub is spoken to in: JSON until it has answered in blocks, which shows that it takes
/// them, and compressed bodies.
final class NegotiatedEncoding: Sendable {
    private let acceptsBlocks = Locked(false)

    var encoding: WireEncoding { acceptsBlocks.withLock { $0 } ? .blocks : .json }

    func heard() { acceptsBlocks.withLock { $0 = true } }

    func forget() { acceptsBlocks.withLock { $0 = false } }
}

/// A request's body as it goes out.
struct RequestBody {
    /// Below it compressing saves no packet.
    private static let packedFrom = 1_024

    let type: String
    let bytes: [UInt8]
    let isPacked: Bool
    /// Whether the answer may stay open.
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
        isPacked = encoding == .blocks && plain.count >= Self.packedFrom
        bytes = isPacked ? try GzipWriter().write(plain, isLast: true) : plain
    }
}

/// An answer's body, unpacked when it is compressed: some transports do that by themselves and leave
/// the header that says so, so the bytes tell.
struct Unpacking {
    private let limit: Int
    /// Bytes as they came.
    private var received = 0
    private var reader: GzipReader?
    /// The first byte while it alone is here, or a plain piece that was not asked for yet.
    private var held: [UInt8] = []
    private var isDecided = false

    init(limit: Int) { self.limit = limit }

    /// Takes a piece, after the one before was read to its end.
    ///
    /// - Throws: ``HubError`` `tooLarge` beyond the limit.
    mutating func add(_ piece: [UInt8]) throws {
        // Compressed bytes may stand for none.
        received += piece.count
        guard received <= limit else {
            throw HubError(.tooLarge, "The answer is larger than this device takes.")
        }
        held += piece
        if !isDecided {
            guard held.count >= GzipReader.magic.count else { return }
            isDecided = true
            if held.starts(with: GzipReader.magic) { reader = try GzipReader(limit: limit) }
        }
        if let reader {
            reader.add(held)
            held = []
        }
    }

    /// The next part of what the piece holds, a small one where it was compressed; `nil` when it has no
    /// more.
    ///
    /// - Throws: ``HubError`` `tooLarge` beyond the limit, `malformed` for damaged bytes.
    mutating func next() throws -> [UInt8]? {
        if let reader { return try reader.read() }
        guard isDecided, !held.isEmpty else { return nil }
        defer { held = [] }
        return held
    }

    /// Whether what was compressed came to its end.
    var isWhole: Bool { reader?.isAtEnd ?? true }
}

extension HTTPTransportResponse {
    func hasType(_ type: String) -> Bool {
        headers["content-type"]?.lowercased().hasPrefix(type) == true
    }
}
