#if Server
    import MoorageWire

    /// Why the server does not let a request in (docs/reference/errors.md, The way, Replica and
    /// user).
    extension HubError {
        static let requestTooSlow = HubError(
            .unreachable, "The request came too slowly. Try again.")

        /// The same for every reason.
        static let notSignedIn = HubError(
            .unauthorized,
            """
            The server did not accept the secret or token. Send a valid one, as \
            `Authorization: Bearer <secret>`.
            """)

        /// - Parameter wait: The time until the user's next request may come.
        static func tooManyRequests(_ wait: Duration) -> HubError {
            HubError(
                .tooMany, "This user sends more requests than the server accepts from one user.",
                retryAfter: wait)
        }
    }
#endif
