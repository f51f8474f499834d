import MoorageCore

/// Writes the bytes of the block encoding (docs/reference/protocol.md, 11).
struct ByteWriter {
    private(set) var bytes: [UInt8] = []
    /// The memory that the written bytes need at their reader, as ``ByteReader`` counts it.
    private(set) var memory = 0

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    mutating func raw(_ more: some Collection<UInt8>) { bytes.append(contentsOf: more) }

    /// Seven bits in each byte, the lowest first. The highest bit says that more bytes follow.
    mutating func varint(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func count(_ count: Int) { varint(UInt64(count)) }

    mutating func zigzag(_ number: Int64) { varint(number.zigzag) }

    /// A part with its length in front.
    mutating func part(_ part: [UInt8]) {
        count(part.count)
        raw(part)
    }

    /// A part that is JSON.
    mutating func head(_ head: [UInt8]) {
        part(head)
        reserve(bytes: BlockMemory.ofHead(head.count))
    }

    // MARK: Memory

    /// Called wherever the reader calls it.
    mutating func reserve(values count: Int, each: Int = 1) {
        memory += count * each * BlockMemory.bytesOfValue
    }

    mutating func reserve(bytes: Int) { memory += bytes }
}

extension Int64 {
    /// Numbers near 0 become small, whatever their sign: 0, −1, 1, −2 as 0, 1, 2, 3.
    var zigzag: UInt64 { UInt64(bitPattern: (self << 1) ^ (self >> 63)) }

    init(zigzag: UInt64) {
        self = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
    }
}

extension UInt64 {
    /// How many bytes it takes as a varint.
    var varintLength: Int { self == 0 ? 1 : (64 - leadingZeroBitCount + 6) / 7 }
}
