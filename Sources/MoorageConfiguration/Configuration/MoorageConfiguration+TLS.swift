#if Server
    import MoorageServer
    import MoorageWire

    /// What `moorage.yaml` says of TLS, and of the proxies that end it.
    extension MoorageConfiguration {
        /// `{certificate: file, key: file, strictTransportDays: 365}`.
        static func readTLS(_ reading: YAMLReading) throws(CommandFailure) -> TLSFiles {
            let members = try reading.members(["certificate", "key", "strictTransportDays"])
            guard let certificate = members["certificate"], let key = members["key"] else {
                throw reading.failure(
                    "TLS needs a `certificate` and its private `key`.",
                    next: "Write `tls: {certificate: chain.pem, key: key.pem}`.")
            }
            var files = TLSFiles(certificate: try certificate.text(), key: try key.text())
            if let days = members["strictTransportDays"] {
                files.strictTransportDays = try days.integer(in: 0...3_650)
            }
            return files
        }

        /// One range of addresses, or a list.
        static func readProxies(_ reading: YAMLReading) throws(CommandFailure) -> [AddressRange] {
            var ranges: [AddressRange] = []
            for element in reading.isScalar ? [reading] : try reading.elements() {
                let text = try element.text()
                do {
                    ranges.append(try AddressRange(text))
                } catch {
                    throw element.failure(error.message)
                }
            }
            return ranges
        }

        var tlsLines: [String] {
            var lines: [String] = []
            if let tls {
                lines += [
                    "tls:", "  certificate: \(Self.name(tls.certificate))",
                    "  key: \(Self.name(tls.key))",
                    "  strictTransportDays: \(tls.strictTransportDays)",
                ]
            } else {
                lines.append("# tls: none")
            }
            let proxies = trustedProxies.map(\.description)
            lines.append(
                proxies.isEmpty
                    ? "# trustedProxies: none" : "trustedProxies: \(Self.list(proxies))")
            return lines
        }
    }
#endif
