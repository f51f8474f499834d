#if Server
    import MoorageWire

    /// The files of a server that ends TLS itself (PEM).
    public struct TLSFiles: Hashable, Sendable {
        /// The server's certificate first, then those between it and its authority.
        public var certificate: String
        /// The certificate's private key, without a password.
        public var key: String
        /// For how many days a browser that came once keeps to https (HSTS); 0 does not ask for it.
        public var strictTransportDays: Int

        /// - Parameters:
        ///   - certificate: The path of a PEM file of at most 1 MB.
        ///   - key: The path of another one. The server reads both again every 10 s.
        ///   - strictTransportDays: 0 to 3,650.
        public init(certificate: String, key: String, strictTransportDays: Int = 365) {
            self.certificate = certificate
            self.key = key
            self.strictTransportDays = strictTransportDays
        }

        func validate() throws(HubError) {
            guard !certificate.isEmpty, !key.isEmpty else { throw HubError.tlsFilesMissing }
            guard 0...3_650 ~= strictTransportDays else {
                throw HubError.strictTransportOutOfRange
            }
        }

        /// The value of `Strict-Transport-Security`; `nil` for none.
        var strictTransport: String? {
            strictTransportDays == 0 ? nil : "max-age=\(strictTransportDays * 86_400)"
        }
    }
#endif
