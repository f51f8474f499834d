import MoorageCore

/// Reads bytes of the block encoding that came from outside: what is not there is an error, never a
/// trap.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var index: Int
    private let end: Int
    /// What is made of the bytes.
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

    /// A number of things of which each takes a byte at least, or is counted as a value.
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

    /// To be called before so many values are made of the message.
    ///
    /// - Parameter each: How many times as much as a value each takes.
    func reserve(values count: Int, each: Int = 1) throws(HubError) {
        let (bytes, isBeyond) = count.multipliedReportingOverflow(
            by: each * BlockMemory.bytesOfValue)
        try memory.use(isBeyond ? .max : bytes)
    }

    /// The same for the bytes of texts and blobs.
    func reserve(bytes: Int) throws(HubError) { try memory.use(bytes) }
}

/// What is made of a message in blocks takes so much memory, about.
enum BlockMemory {
    /// Bytes of a value besides its own.
    static let bytesOfValue = 32
    /// What a column takes besides its values, in values.
    static let valuesOfColumn = 8
    /// What a change takes besides its values, and an edit with them, in values.
    static let valuesOfChange = 10
    /// More than any number behind 17 places takes.
    static let bytesOfDecimal = 20

    /// What JSON of so many bytes comes to at most: a value and a comma are two bytes, and count 101.
    static func ofHead(_ count: Int) -> Int { 51 * count + 100 }
}
