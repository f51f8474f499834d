import MoorageWire

/// Which encoding the hub is spoken to in: JSON until it has answered in blocks, which shows that it takes
/// them, and compressed bodies.
final class SpokenEncoding: Sendable {
    private let takesBlocks = Locked(false)

    var encoding: WireEncoding { takesBlocks.withLock { $0 } ? .blocks : .json }

    func heard() { takesBlocks.withLock { $0 = true } }

    func forget() { takesBlocks.withLock { $0 = false } }
}

/// A request's body as it goes out.
struct RequestBody {
    /// Below it compressing saves no packet.
    private static let packedFrom = 1_024

    let type: String
    let bytes: [UInt8]
    let isPacked: Bool

    init(json: [UInt8]) {
        type = WireEncoding.json.requestType
        bytes = json
        isPacked = false
    }

    init(_ request: ExchangeRequest, in encoding: WireEncoding) {
        let plain = encoding.encoded(request)
        type = encoding.requestType
        isPacked = encoding == .blocks && plain.count >= Self.packedFrom
        bytes = isPacked ? GzipWriter().write(plain, isLast: true) : plain
    }
}

/// An answer's body, unpacked when it is compressed: some transports do that by themselves and leave
/// the header that says so, so the bytes tell.
struct Unpacking {
    private let limit: Int
    private var total = 0
    private var reader: GzipReader?
    /// The first byte, while it alone is here.
    private var held: [UInt8] = []
    private var isDecided = false

    init(limit: Int) { self.limit = limit }

    /// - Throws: ``HubError`` `tooLarge` beyond the limit, `malformed` for damaged bytes.
    mutating func add(_ piece: [UInt8]) throws -> [[UInt8]] {
        let piece = held + piece
        held = []
        if !isDecided {
            guard piece.count >= GzipReader.mark.count else {
                held = piece
                return []
            }
            isDecided = true
            if piece.starts(with: GzipReader.mark) { reader = GzipReader(limit: limit) }
        }
        guard let reader else {
            total += piece.count
            guard total <= limit else {
                throw HubError(.tooLarge, "The answer is larger than this device takes.")
            }
            return [piece]
        }
        var chunks: [[UInt8]] = []
        try reader.read(piece) { chunks.append($0) }
        return chunks
    }
}

extension HTTPTransportResponse {
    func hasType(_ type: String) -> Bool {
        headers["content-type"]?.lowercased().hasPrefix(type) == true
    }
}
