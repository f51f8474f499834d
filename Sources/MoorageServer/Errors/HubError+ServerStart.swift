#if Server
    import MoorageWire

    /// Why the server does not start (docs/reference/errors.md, Server start).
    extension HubError {
        // MARK: Who may sign in, and where it listens

        static let nobodyCanSignIn = HubError(
            .configuration,
            "Nobody could sign in. Set a shared secret, API keys, or rules for tokens.")

        static let hubWithoutUsers = HubError(
            .configuration,
            """
            Users sign in, and this hub knows no users. Serve a hub that does, or use a shared \
            secret alone.
            """)

        static func addressInUse(_ address: String) -> HubError {
            cannotListen(on: address, "another program listens there")
        }

        static func portNotAllowed(_ address: String) -> HubError {
            cannotListen(on: address, "this user may not open the port")
        }

        static func addressOfAnotherMachine(_ address: String) -> HubError {
            cannotListen(on: address, "this machine has no such address")
        }

        /// - Parameter reason: A part of a sentence.
        static func cannotListen(on address: String, _ reason: String) -> HubError {
            HubError(
                .configuration,
                """
                The server cannot listen on \(address): \(reason). Choose another address with \
                `listen`, or stop the program that listens there.
                """)
        }

        /// Does not repeat the text, which may have come from a variable of the environment.
        static let notListenAddress = HubError(
            .configuration,
            """
            This is no address to listen on. Write host and port, such as `127.0.0.1:8080` or \
            `[::1]:8080`.
            """)

        /// Does not repeat the text, which may have come from a variable of the environment.
        static let notAddressRange = HubError(
            .configuration,
            """
            This is no range of addresses. Write `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`, with no \
            bits after the prefix.
            """)

        static let notWebOrigin = HubError(
            .configuration,
            """
            This is no origin of web pages. Write `https://app.example.com` in lower case, without \
            a path and without the usual port, or `*` for all pages.
            """)

        static func plainHTTP(on address: String) -> HubError {
            HubError(
                .configuration,
                """
                Listening on \(address) would send secret and rows over the network unencrypted. \
                Name the files of a certificate with `tls`. Behind a proxy that ends TLS, listen \
                on 127.0.0.1, or name the proxy's address with `trustedProxies`. If the network \
                itself is private, set `allowPlainHTTP: true`.
                """)
        }

        // MARK: Files for TLS

        static let tlsFilesMissing = HubError(
            .configuration, "TLS needs two files: the certificate, and its private key.")

        static func unreadableTLSFile(_ path: String) -> HubError {
            unusableTLSFile(path, "it cannot be read")
        }

        static func unusableTLSFileContents(_ path: String) -> HubError {
            unusableTLSFile(path, "it is empty, no file, or larger than a megabyte")
        }

        static func noCertificate(in path: String) -> HubError {
            unusableTLSFile(path, "it contains no certificate as PEM")
        }

        static func noPrivateKey(in path: String) -> HubError {
            unusableTLSFile(path, "it contains no private key as PEM, without a password")
        }

        static func keyOfAnotherCertificate(_ key: String, certificate: String) -> HubError {
            unusableTLSFile(key, "it is not the key of \(certificate)")
        }

        private static func unusableTLSFile(_ path: String, _ reason: String) -> HubError {
            HubError(.configuration, "The server cannot use \(path) for TLS: \(reason).")
        }

        // MARK: Secrets and API keys

        static func secretTooShort(_ bytes: Int, minimum: Int) -> HubError {
            HubError(
                .configuration,
                """
                The shared secret is too short: it has \(bytes) bytes and needs at least \
                \(minimum). Make one with `openssl rand -base64 32`.
                """)
        }

        static let secretNotForHeader = HubError(
            .configuration,
            """
            The shared secret has a character that an HTTP header cannot carry. Use printable \
            ASCII without spaces, such as `openssl rand -base64 32` gives.
            """)

        static let secretIsToken = HubError(
            .configuration,
            """
            The shared secret, or an API key, is a user's token. Whoever has that token could \
            sign in even after it expires. Give the server a secret of its own.
            """)

        static let sameSecretTwice = HubError(
            .configuration,
            "Two API keys, or one and the shared secret, are the same. Make another one.")

        static func sameKeyNameTwice(_ name: String) -> HubError {
            HubError(.configuration, "There are two API keys \(name). Rename one of them.")
        }

        static func keyWithInvalidUser(_ name: String) -> HubError {
            HubError(
                .configuration,
                """
                The user of the API key \(name) has no valid name. A user's name has 1 to 255 \
                bytes, without NUL.
                """)
        }

        // MARK: Tokens

        static let tokensWithoutIssuerOrAudience = HubError(
            .configuration,
            """
            Tokens need an issuer and an audience. Otherwise the server would accept a token for \
            another program.
            """)

        static let tokensWithoutKey = HubError(
            .configuration, "There is no key to check tokens with. Name one, or a key set.")

        static let sameKeyIDTwice = HubError(
            .configuration, "Two keys for tokens have one `kid`. Each needs a name of its own.")

        static let pemForHS256 = unusableTokenKey("HS256 takes a `secret`, no PEM file")

        static func noKeyInPEM(_ algorithm: String) -> HubError {
            unusableTokenKey(
                "its PEM contains no \(algorithm) key (RSA: of at least 2048 bits)")
        }

        static func keyOfAnotherAlgorithm(_ algorithm: String) -> HubError {
            unusableTokenKey("it is no key for \(algorithm)")
        }

        static func tokenSecretTooShort(_ bytes: Int, minimum: Int) -> HubError {
            unusableTokenKey("its secret has \(bytes) bytes and needs at least \(minimum)")
        }

        private static func unusableTokenKey(_ reason: String) -> HubError {
            HubError(.configuration, "A key for tokens cannot be used: \(reason).")
        }

        static let publicKeyCannotSign = HubError(
            .configuration,
            "This key cannot sign, because it is a public one. Name the file of the private one.")

        static let unsafeKeySet = HubError(
            .configuration,
            """
            The address of the key set must begin with https:// and name a host, without a \
            password. Whoever could change its answer could make tokens.
            """)

        // MARK: The webhook

        static let unsafeWebhook = HubError(
            .configuration,
            """
            The address of the webhook must begin with https:// and name a host, without a \
            password. On this machine it may begin with http://.
            """)

        static func webhookSecretTooShort(_ count: Int, minimum: Int) -> HubError {
            HubError(
                .configuration,
                """
                The secret of the webhook has \(count) bytes. It needs at least \(minimum). Make \
                one with `openssl rand -base64 32`.
                """)
        }

        // MARK: Limits

        static func limitTooSmall(_ name: String) -> HubError {
            HubError(.configuration, "The limit \(name) must be 1 or more.")
        }

        static func timeoutTooSmall(_ name: String) -> HubError {
            HubError(.configuration, "The limit \(name) must be more than 0.")
        }

        static let strictTransportOutOfRange = HubError(
            .configuration, "`strictTransportDays` must be from 0 to 3650.")

        static let leewayOutOfRange = HubError(
            .configuration, "The leeway for tokens must be from 0 s to 5 minutes.")
    }
#endif
