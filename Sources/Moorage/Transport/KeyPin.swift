import MoorageCore
public import MoorageWire

/// The SHA-256 of a public key (its SubjectPublicKeyInfo), as `sha256/` and base64. The form
/// `sha256//` of `curl --pinnedpubkey` is accepted as well.
///
/// ```
/// openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der |
///     openssl dgst -sha256 -binary | base64
/// ```
public struct KeyPin: Hashable, Sendable {
    private let digest: [UInt8]

    /// The pin of a key.
    ///
    /// - Parameter text: `sha256/` or `sha256//`, and the base64 of the 32 bytes.
    /// - Throws: `HubError` `configuration` for any other text.
    public init(_ text: String) throws(HubError) {
        guard let prefix = ["sha256//", "sha256/"].first(where: text.hasPrefix),
            let digest = Base64.decode(String(text.dropFirst(prefix.count))), digest.count == 32
        else {
            throw HubError.notAPin
        }
        self.digest = digest
    }

    package init(sha256 digest: [UInt8]) { self.digest = digest }
}
