#if Server
    import Crypto
    import Foundation
    public import Moorage
    public import MoorageWire
    import NIOCore
    import NIOSSL

    /// Decides which servers a client accepts as its hub.
    ///
    /// The certificate must lead to a trusted authority and be for the hub's name. With pins, its
    /// key must also be one of the pinned keys.
    public struct ServerTrust: Sendable {
        /// The owner's authorities, which replace the system's; `nil` for the system's.
        private let authorities: [NIOSSLCertificate]?
        private let pins: Set<KeyPin>

        /// Trusts the system's authorities.
        public init() {
            authorities = nil
            pins = []
        }

        /// - Parameters:
        ///   - authorities: Certificates as PEM, trusted instead of the system's; `nil` trusts the
        ///     system's.
        ///   - pins: Keys; the server must show one of them. Name the next key beside the present
        ///     one, or no device reaches its hub after the key changes.
        /// - Throws: ``HubError`` `configuration` for PEM without a certificate.
        public init(authorities: [UInt8]? = nil, pins: Set<KeyPin> = []) throws(HubError) {
            self.pins = pins
            guard let authorities else {
                self.authorities = nil
                return
            }
            guard let certificates = try? NIOSSLCertificate.fromPEMBytes(authorities),
                !certificates.isEmpty
            else { throw HubError.noAuthorities }
            self.authorities = certificates
        }

        /// - Throws: ``HubError`` `configuration` for an address without HTTPS, where nothing would
        ///   check the authorities and pins.
        func check(_ url: URL) throws(HubError) {
            guard authorities != nil || !pins.isEmpty, url.scheme?.lowercased() != "https" else {
                return
            }
            throw HubError.nothingToPin
        }

        var tlsConfiguration: TLSConfiguration {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.minimumTLSVersion = .tlsv12
            if let authorities { configuration.trustRoots = .certificates(authorities) }
            return configuration
        }

        /// Runs for each connection before a request goes over it.
        var connectionCheck: (@Sendable (any Channel) -> EventLoopFuture<Void>)? {
            guard !pins.isEmpty else { return nil }
            return { [pins] channel in
                channel.nioSSL_peerCertificate().flatMapThrowing { certificate in
                    guard let key = try certificate?.extractPublicKey().toSPKIBytes(),
                        pins.contains(KeyPin(sha256: Array(SHA256.hash(data: key))))
                    else { throw HubError.wrongKey }
                }.flatMapError { error in
                    channel.close(promise: nil)
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }
        }
    }
#endif
