#if Server
    import MoorageWire

    /// What is wrong with a request (docs/reference/errors.md, Messages).
    extension HubError {
        static let incompleteBody = HubError(
            .malformed, "The compressed body ends too early. Send the whole body.")

        static func wrongMethod(_ allowed: String) -> HubError {
            HubError(.malformed, "This path accepts \(allowed) only.")
        }

        static let encodedBody = HubError(
            .malformed, "The hub accepts bodies as they are, or compressed once with gzip.")

        static let bodyOfPreflight = HubError(
            .malformed, "A preflight request has no body. Send it without one.")

        static let unencryptedRequest = HubError(
            .malformed,
            """
            The request reached the proxy unencrypted, or the proxy does not say how it came. Use \
            https, and let the proxy set X-Forwarded-Proto.
            """)

        /// - Parameter limit: Bytes.
        static func requestTooLarge(_ limit: Int) -> HubError {
            HubError(
                .tooLarge,
                "The request is too large: the server accepts \(limit) bytes.")
        }

        static let noSuchPath = HubError(
            .notFound, "There is nothing at this path. The hub's paths begin with /v1/.")
    }
#endif
