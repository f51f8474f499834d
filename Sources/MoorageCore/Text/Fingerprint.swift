/// A 128-bit SipHash-2-4. With its fixed key it distinguishes rows and schemas, in the same way on
/// every machine.
///
/// It does not protect against someone who looks for collisions. It answers "are these two the
/// same?" between two parties that trust each other (decision 0004). With a secret key it is a code
/// that only someone who knows the secret can make (decision 0027).
package struct Fingerprint: Sendable {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var pending: UInt64 = 0
    private var count: UInt64 = 0

    /// - Parameter key: Two words, little-endian as the algorithm has them.
    package init(key: (UInt64, UInt64) = (0, 0)) {
        v0 = 0x736f_6d65_7073_6575 ^ key.0
        v1 = 0x646f_7261_6e64_6f6d ^ 0xee ^ key.1
        v2 = 0x6c79_6765_6e65_7261 ^ key.0
        v3 = 0x7465_6462_7974_6573 ^ key.1
    }

    /// - Parameter secret: A text that nobody can guess, of any length.
    package init(secret: String) {
        var key = Fingerprint()
        key.add(secret.utf8)
        self.init(key: key.words)
    }

    package mutating func add(_ byte: UInt8) {
        pending |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        guard count & 7 == 0 else { return }
        compress(pending)
        pending = 0
    }

    /// Adds text or bytes after their length, so that two neighbours cannot be split elsewhere.
    package mutating func add(_ bytes: some Collection<UInt8>) {
        add(UInt64(bytes.count))
        // Nearly all data comes through here, so contiguous bytes are added a word at a time.
        let isAdded: Void? = bytes.withContiguousStorageIfAvailable { add(plain: $0) }
        if isAdded == nil { for byte in bytes { add(byte) } }
    }

    private mutating func add(plain bytes: UnsafeBufferPointer<UInt8>) {
        let raw = UnsafeRawBufferPointer(bytes)
        let whole = raw.count & ~7
        for offset in stride(from: 0, to: whole, by: 8) {
            add(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
        }
        for offset in whole..<raw.count { add(raw[offset]) }
    }

    /// Adds its eight bytes, the lowest first.
    package mutating func add(_ number: UInt64) {
        let shift = 8 * (count & 7)
        count &+= 8
        guard shift > 0 else { return compress(number) }
        compress(pending | number << shift)
        pending = number >> (64 - shift)
    }

    /// Adds a value by its class and its bytes.
    package mutating func add(_ value: Value) {
        switch value {
        case .null: add(UInt8(0))
        case .integer(let number):
            add(UInt8(1))
            add(UInt64(bitPattern: number))
        case .real(let number):
            add(UInt8(2))
            add(number.bitPattern)
        case .text(let text):
            add(UInt8(3))
            add(text.utf8)
        case .blob(let bytes):
            add(UInt8(4))
            add(bytes)
        }
    }

    /// 32 hex digits. The fingerprint can go on after this.
    package var hex: String {
        let words = words
        return String(unsafeUninitializedCapacity: 32) { bytes in
            for digit in 0..<32 {
                let word = digit < 16 ? words.0 : words.1
                let half = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (digit & 15))) & 15
                bytes[digit] = half < 10 ? UInt8(ascii: "0") + half : UInt8(ascii: "a") + half - 10
            }
            return 32
        }
    }

    private var words: (UInt64, UInt64) {
        var copy = self
        copy.compress(pending | (count & 0xff) << 56)
        copy.v2 ^= 0xee
        for _ in 0..<4 { copy.round() }
        let first = copy.v0 ^ copy.v1 ^ copy.v2 ^ copy.v3
        copy.v1 ^= 0xdd
        for _ in 0..<4 { copy.round() }
        let second = copy.v0 ^ copy.v1 ^ copy.v2 ^ copy.v3
        return (first, second)
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func round() {
        v0 &+= v1
        v1 = (v1 << 13 | v1 >> 51) ^ v0
        v0 = v0 << 32 | v0 >> 32
        v2 &+= v3
        v3 = (v3 << 16 | v3 >> 48) ^ v2
        v0 &+= v3
        v3 = (v3 << 21 | v3 >> 43) ^ v0
        v2 &+= v1
        v1 = (v1 << 17 | v1 >> 47) ^ v2
        v2 = v2 << 32 | v2 >> 32
    }
}
