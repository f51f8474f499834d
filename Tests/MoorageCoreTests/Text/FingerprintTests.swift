import MoorageCore
import TestSupport
import Testing

@Suite(.ownThreads) struct `A fingerprint` {
    /// SipHash-2-4 with 128 bits and a key of zeros, as OpenSSL computes it; its bytes are printed
    /// as two little-endian words.
    @Test(arguments: [
        ("", "7de0a38047d74950f4f2ced447ab0242"),
        ("hub", "7c931bf92c851d83dd9602a8f4a3c30d"),
        ("moorage!", "515cc9a2e3ee0ae2075a6429f30018f4"),
        ("The quick brown fox jumps over the lazy dog", "257fc576e85c8cdfb21a59dfb51b3fc0"),
    ])
    func `is SipHash-2-4-128`(text: String, hex: String) {
        var fingerprint = Fingerprint()
        for byte in text.utf8 { fingerprint.add(byte) }
        #expect(fingerprint.hex == hex)
    }

    /// The first of the algorithm's published vectors: the key 00 01 … 0f, inputs of 0, 1 and 2 bytes.
    @Test(arguments: [
        (0, "e6a825ba047f81a3930255c71472f66d"), (1, "44af996bd8c187da45fc229b11597634"),
        (2, "c75da4a48d227781e4ff0af6de8ba3fc"),
    ])
    func `has a key`(count: Int, hex: String) {
        var fingerprint = Fingerprint(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
        for byte in 0..<count { fingerprint.add(UInt8(byte)) }
        #expect(fingerprint.hex == hex)
    }

    @Test func `is another with another secret`() {
        #expect(Fingerprint(secret: "one").hex != Fingerprint(secret: "two").hex)
        #expect(Fingerprint(secret: "one").hex != Fingerprint().hex)
    }

    @Test func `goes on after it was read`() {
        var one = Fingerprint()
        one.add(UInt8(1))
        _ = one.hex
        one.add(UInt8(2))
        var other = Fingerprint()
        other.add(UInt8(1))
        other.add(UInt8(2))
        #expect(one.hex == other.hex)
    }

    @Test func `is the same, whether bytes come one by one or as a whole`() {
        for offset in 0..<9 {
            for length in 0..<40 {
                let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ offset) }
                var (whole, single) = (Fingerprint(), Fingerprint())
                for byte in 0..<offset {
                    whole.add(UInt8(byte))
                    single.add(UInt8(byte))
                }
                whole.add(bytes)
                for shift in 0..<8 { single.add(UInt8(truncatingIfNeeded: length >> (8 * shift))) }
                for byte in bytes { single.add(byte) }
                #expect(whole.hex == single.hex, "\(length) bytes after \(offset)")
            }
        }
    }

    @Test func `cannot be cut elsewhere`() {
        func fingerprint(_ texts: [String]) -> String {
            var result = Fingerprint()
            for text in texts { result.add(Value.text(text)) }
            return result.hex
        }
        #expect(fingerprint(["ab", "c"]) != fingerprint(["a", "bc"]))
        #expect(fingerprint(["", "a"]) != fingerprint(["a", ""]))
        #expect(fingerprint([]) != fingerprint([""]))
    }

    @Test func `tells values of every class apart`() {
        let values: [Value] = [
            .null, .integer(0), .integer(1), .real(0), .real(-0.0), .text(""), .text("0"),
            .blob([]), .blob([0]),
            .text("\u{E9}"), .text("e\u{301}"), .integer(.min), .integer(.max), .text("\0"),
            .text("\0\0"),
        ]
        let all = values.map { value in
            var fingerprint = Fingerprint()
            fingerprint.add(value)
            return fingerprint.hex
        }
        #expect(Set(all).count == values.count)
    }

    @Test func `spreads neighbours over all its bits`() {
        var ones = [Int](repeating: 0, count: 128)
        let count = 4000
        var seen: Set<String> = []
        for number in 0..<count {
            var fingerprint = Fingerprint()
            fingerprint.add(Value.integer(Int64(number)))
            seen.insert(fingerprint.hex)
            for (place, character) in fingerprint.hex.enumerated() {
                let nibble = character.hexDigitValue ?? 0
                for bit in 0..<4 where nibble >> bit & 1 == 1 { ones[place * 4 + bit] += 1 }
            }
        }
        #expect(seen.count == count)
        // Eight standard deviations around the half.
        #expect(ones.allSatisfy { abs($0 - count / 2) < 253 })
    }
}
