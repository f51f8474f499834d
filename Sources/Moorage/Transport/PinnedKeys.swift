#if canImport(Security)
    import CryptoKit
    import Foundation
    import Security

    /// A server must show one of these keys, once the system trusts its certificate. For Apple's
    /// platforms only: on Linux the transport on AsyncHTTPClient pins keys.
    struct PinnedKeys: Sendable {
        let pins: Set<KeyPin>

        enum Verdict {
            /// The system decides. Either there is nothing of ours to check, or it mistrusts the
            /// certificate and says why.
            case system
            case right(SecTrust)
            case wrong
        }

        func verdict(_ challenge: URLAuthenticationChallenge) -> Verdict {
            let space = challenge.protectionSpace
            guard space.authenticationMethod == NSURLAuthenticationMethodServerTrust,
                let trust = space.serverTrust, SecTrustEvaluateWithError(trust, nil)
            else { return .system }
            guard let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate],
                let key = chain.first.flatMap(SecCertificateCopyKey), let pin = Self.pin(key),
                pins.contains(pin)
            else { return .wrong }
            return .right(trust)
        }

        private static func pin(_ key: SecKey) -> KeyPin? {
            guard let bytes = SecKeyCopyExternalRepresentation(key, nil) as Data?,
                let attributes = SecKeyCopyAttributes(key) as? [String: Any],
                let type = attributes[kSecAttrKeyType as String] as? String,
                let bits = attributes[kSecAttrKeySizeInBits as String] as? Int
            else { return nil }
            let kinds: [String: SubjectPublicKeyInfo.Kind] = [
                kSecAttrKeyTypeRSA as String: .rsa,
                kSecAttrKeyTypeECSECPrimeRandom as String: .ellipticCurve,
            ]
            guard let kind = kinds[type],
                let header = SubjectPublicKeyInfo.header(kind, bits: bits)
            else { return nil }
            return KeyPin(sha256: Array(SHA256.hash(data: Data(header) + bytes)))
        }
    }
#endif
