import Foundation
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) struct `What stands before a key` {
    /// The bytes that openssl writes (`openssl pkey -pubout -outform der`).
    @Test(arguments: [
        (SubjectPublicKeyInfo.Kind.rsa, 2_048, "30820122300d06092a864886f70d01010105000382010f00"),
        (.rsa, 3_072, "308201a2300d06092a864886f70d01010105000382018f00"),
        (.rsa, 4_096, "30820222300d06092a864886f70d01010105000382020f00"),
        (.ellipticCurve, 256, "3059301306072a8648ce3d020106082a8648ce3d030107034200"),
        (.ellipticCurve, 384, "3076301006072a8648ce3d020106052b81040022036200"),
    ])
    func `is its kind and length`(kind: SubjectPublicKeyInfo.Kind, bits: Int, text: String) {
        let header = SubjectPublicKeyInfo.header(kind, bits: bits)
        #expect(header?.map { String(format: "%02x", $0) }.joined() == text)
    }

    @Test func `is not known of keys that servers do not show`() {
        #expect(SubjectPublicKeyInfo.header(.rsa, bits: 1_024) == nil)
        #expect(SubjectPublicKeyInfo.header(.ellipticCurve, bits: 521) == nil)
    }
}
