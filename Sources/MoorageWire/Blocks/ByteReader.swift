import MoorageCore

/// Reads bytes of the block encoding that came from outside. Missing bytes are an error, never a
/// trap.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var index: Int
    private let end: Int
    /// Counts the memory for what is made from the bytes.
    let memory: DecodingMemory

    init(_ bytes: [UInt8], from start: Int = 0, memory: DecodingMemory = DecodingMemory()) {
        self.bytes = bytes
        self.memory = memory
        index = min(start, bytes.count)
        end = bytes.count
    }

    static func error(_ what: String) -> HubError {
        HubError(.malformed, "The message is malformed in a block: \(what).")
    }

    var isAtEnd: Bool { index == end }
    var bytesLeft: Int { end - index }

    mutating func byte() throws(HubError) -> UInt8 {
        guard index < end else { throw Self.error("it breaks off") }
        defer { index += 1 }
        return bytes[index]
    }

    mutating func varint() throws(HubError) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try byte()
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits <= 1 else { throw Self.error("a number beyond 64 bits") }
            result |= bits << shift
            if byte < 0x80 {
                guard byte > 0 || shift == 0 else {
                    throw Self.error("a number with needless bytes")
                }
                return result
            }
            shift += 7
            guard shift <= 63 else { throw Self.error("a number beyond 64 bits") }
        }
    }

    mutating func zigzag() throws(HubError) -> Int64 { Int64(zigzag: try varint()) }

    /// A number of things that follow. Each takes at least a byte, or is counted as a value.
    mutating func count() throws(HubError) -> Int {
        let number = try varint()
        guard number <= UInt64(Int32.max) else { throw Self.error("a number that is too large") }
        return Int(number)
    }

    mutating func raw(_ count: Int) throws(HubError) -> ArraySlice<UInt8> {
        guard count <= bytesLeft else { throw Self.error("it breaks off") }
        defer { index += count }
        return bytes[index..<index + count]
    }

    mutating func rest() throws(HubError) -> [UInt8] { Array(try raw(bytesLeft)) }

    mutating func part() throws(HubError) -> [UInt8] { Array(try raw(try count())) }

    /// Called before this many values are made from the message.
    ///
    /// - Parameter each: How many values each thing counts for.
    func reserve(values count: Int, each: Int = 1) throws(HubError) {
        let (bytes, isBeyond) = count.multipliedReportingOverflow(
            by: each * BlockMemory.bytesOfValue)
        try memory.use(isBeyond ? .max : bytes)
    }

    /// The same for the bytes of texts and blobs.
    func reserve(bytes: Int) throws(HubError) { try memory.use(bytes) }
}

/// About how much memory is needed for what is made from a message in blocks.
enum BlockMemory {
    /// Bytes of a value in addition to its own.
    static let bytesOfValue = 32
    /// What a column takes in addition to its values, counted in values.
    static let valuesOfColumn = 8
    /// What a change takes in addition to its values, counted in values. An edit with its values
    /// takes as much.
    static let valuesOfChange = 10
    /// At least what any decimal with up to 17 places takes.
    static let bytesOfDecimal = 20

    /// The most memory that JSON of this many bytes takes. A value and a comma are two bytes and
    /// count for 101.
    static func ofHead(_ count: Int) -> Int { 51 * count + 100 }
}
