import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `SHA-256` {
    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        var digest = SHA256()
        digest.add(bytes)
        return digest.hex
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]) func `has the values of the standard`(text: String, expected: String) {
        #expect(hex(text.utf8) == expected)
    }

    @Test func `has the value of a million letters`() {
        #expect(
            hex(repeatElement(UInt8(ascii: "a"), count: 1_000_000))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test func `does not depend on the pieces`() {
        let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for cut in [0, 1, 55, 56, 63, 64, 65, 128, 299] {
            var digest = SHA256()
            digest.add(bytes[..<cut])
            _ = digest.hex
            digest.add(bytes[cut...])
            #expect(digest.hex == hex(bytes))
        }
    }
}
