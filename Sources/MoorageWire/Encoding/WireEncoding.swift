import MoorageCore

/// The two encodings of the same messages (docs/reference/protocol.md, 2 and 11).
package enum WireEncoding: Sendable, CaseIterable {
    /// One document for a request; one document on each line for an answer's frames.
    case json
    /// Rows column by column.
    case blocks

    /// The content type of a request's body.
    package var requestType: String {
        switch self {
        case .json: "application/json"
        case .blocks: Self.blockType
        }
    }

    /// The content type of an answer of frames.
    package var answerType: String {
        switch self {
        case .json: "application/x-ndjson"
        case .blocks: Self.blockType
        }
    }

    private static let blockType = "application/vnd.moorage.blocks"

    package func encoded(_ request: ExchangeRequest) -> [UInt8] {
        switch self {
        case .json: request.encoded()
        case .blocks: request.block()
        }
    }

    /// What an answer begins with, before its first frame.
    package var beginning: [UInt8] {
        switch self {
        case .json: []
        case .blocks: BlockStream.magic
        }
    }

    /// A frame as an answer contains it: a line, or a length and as many bytes.
    package func encoded(_ frame: Frame) -> [UInt8] {
        switch self {
        case .json: return frame.encoded() + [UInt8(ascii: "\n")]
        case .blocks:
            var writer = ByteWriter()
            writer.part(frame.block())
            return writer.bytes
        }
    }
}

/// Cuts an incoming answer into frames.
package struct FrameReader: Sendable {
    private let encoding: WireEncoding
    private let maximumFrameBytes: Int
    private var buffer: [UInt8] = []
    /// Where in the buffer the next frame begins.
    private var start = 0
    /// There is no line break up to here.
    private var searched = 0
    private var hasBegun = false

    package init(_ encoding: WireEncoding, maximumFrameBytes: Int) {
        self.encoding = encoding
        self.maximumFrameBytes = maximumFrameBytes
    }

    package mutating func add(_ chunk: [UInt8]) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer += chunk
    }

    /// The next frame that has arrived whole; `nil` when there is no such frame.
    ///
    /// - Parameter isLast: Whether nothing more comes. The last line then needs no line break.
    package mutating func next(isLast: Bool = false) throws(HubError) -> Frame? {
        switch encoding {
        case .json: try nextLine(isLast)
        case .blocks: try nextBlock(isLast)
        }
    }

    private mutating func nextLine(_ isLast: Bool) throws(HubError) -> Frame? {
        while true {
            let end = buffer[max(start, searched)...].firstIndex(of: UInt8(ascii: "\n"))
            guard let end = end ?? (isLast && start < buffer.count ? buffer.count : nil) else {
                searched = buffer.count
                try check(buffer.count - start)
                return nil
            }
            try check(end - start)
            let line = Array(buffer[start..<end])
            start = min(end + 1, buffer.count)
            if !line.isEmpty { return try Frame(decoding: line) }
        }
    }

    private mutating func nextBlock(_ isLast: Bool) throws(HubError) -> Frame? {
        guard let frame = try nextWholeBlock() else {
            if isLast, start < buffer.count { throw ByteReader.error("it breaks off") }
            return nil
        }
        return frame
    }

    private mutating func nextWholeBlock() throws(HubError) -> Frame? {
        if !hasBegun {
            guard buffer.count >= BlockStream.magic.count else { return nil }
            guard buffer.starts(with: BlockStream.magic) else { throw ByteReader.error("no mark") }
            hasBegun = true
            start = BlockStream.magic.count
        }
        // A length takes five bytes at most, within its limit.
        guard buffer[start...].prefix(5).contains(where: { $0 < 0x80 }) else {
            guard buffer.count - start < 5 else { throw ByteReader.error("no length of a frame") }
            return nil
        }
        var reader = ByteReader(buffer, from: start)
        let length = try reader.count()
        try check(length)
        guard buffer.count - reader.index >= length else { return nil }
        let bytes = Array(buffer[reader.index..<reader.index + length])
        start = reader.index + length
        return try Frame(block: bytes)
    }

    private func check(_ count: Int) throws(HubError) {
        guard count <= maximumFrameBytes else {
            throw HubError.frameTooLarge
        }
    }
}
