#if Server
    import Crypto
    import Foundation
    public import Moorage
    public import MoorageWire
    import NIOCore
    import NIOSSL

    /// Whom a client believes to be its hub.
    ///
    /// The certificate must lead to an authority that is trusted and be for the hub's name; with pins its
    /// key must be one of these as well.
    public struct ServerTrust: Sendable {
        /// Authorities of the owner's, instead of the system's.
        private let authorities: [NIOSSLCertificate]?
        private let pins: Set<KeyPin>

        /// The system's authorities.
        public init() {
            authorities = nil
            pins = []
        }

        /// - Parameters:
        ///   - authorities: Certificates as PEM, to be trusted instead of the system's; `nil` for those.
        ///   - pins: Keys of which the server must show one. Name the next one beside the present one,
        ///     or no device finds its hub after the key changes.
        /// - Throws: ``HubError`` `configuration` for PEM that holds no certificate.
        public init(authorities: [UInt8]? = nil, pins: Set<KeyPin> = []) throws(HubError) {
            self.pins = pins
            guard let authorities else {
                self.authorities = nil
                return
            }
            guard let certificates = try? NIOSSLCertificate.fromPEMBytes(authorities),
                !certificates.isEmpty
            else {
                throw HubError(
                    .configuration, "The certificate authorities hold no certificate as PEM.")
            }
            self.authorities = certificates
        }

        /// - Throws: ``HubError`` `configuration` for an address at which nothing of it would be checked.
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

        /// Called for each connection before a request goes over it.
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
