import MoorageCore

extension Frame {
    private static let documentTag: UInt8 = 0
    private static let pageTag: UInt8 = 1

    /// The frame in blocks: a page's rows column by column, everything else as JSON.
    package func block() -> [UInt8] {
        block(within: DecodingMemory.maximum)
    }

    /// - Parameter memory: The most memory, in bytes, that a page in blocks may need at its reader.
    ///   A page that needs more is written as JSON.
    func block(within memory: Int) -> [UInt8] {
        if case .page(let page) = self, page.isRegular {
            var writer = ByteWriter()
            writer.byte(Self.pageTag)
            page.writeBlocks(to: &writer)
            if writer.memory <= memory { return writer.bytes }
        }
        return [Self.documentTag] + encoded()
    }

    package init(block bytes: [UInt8]) throws(HubError) {
        try self.init(block: bytes, memory: DecodingMemory())
    }

    init(block bytes: [UInt8], memory: DecodingMemory) throws(HubError) {
        var reader = ByteReader(bytes, memory: memory)
        switch try reader.byte() {
        case Self.pageTag:
            self = .page(try Page(&reader))
            guard reader.isAtEnd else { throw ByteReader.error("it goes on behind its end") }
        case Self.documentTag: try self.init(decoding: Array(bytes.dropFirst()))
        default: throw ByteReader.error("a kind of frame that is not known")
        }
    }
}

extension ExchangeRequest {
    /// The request in blocks: without its batch as JSON, and then the batch.
    ///
    /// - Parameter batch: The batch as it was stored. Without it, the batch is encoded again.
    package func block(batch stored: [UInt8]? = nil) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(BlockStream.magic)
        writer.part(encoded(withBatch: false))
        if let batch { writer.raw(stored ?? batch.block()) }
        return writer.bytes
    }

    init(block bytes: [UInt8], memory: DecodingMemory) throws(HubError) {
        guard bytes.starts(with: BlockStream.magic) else { throw ByteReader.error("no mark") }
        var reader = ByteReader(bytes, from: BlockStream.magic.count, memory: memory)
        let head = try ExchangeRequest(JSONReading(parsing: try reader.part(), memory: memory))
        guard head.batch == nil else { throw ByteReader.error("a batch that is not in blocks") }
        let rest = try reader.rest()
        let batch: Batch? =
            if rest.isEmpty { nil } else { try Batch(decoding: rest, memory: memory) }
        self = head.carrying(batch)
    }
}

/// The first bytes of a message in blocks. They distinguish it from JSON and from compressed data.
enum BlockStream {
    static let magic: [UInt8] = Array("MRB1".utf8)
}
