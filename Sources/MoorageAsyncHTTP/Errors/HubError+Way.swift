#if Server
    import MoorageWire

    /// Why there is no answer of the hub (docs/reference/errors.md, The way).
    extension HubError {
        static let answerTookTooLong = HubError(.unreachable, "The answer took too long.")

        /// - Parameter reason: A part of a sentence.
        static func untrusted(_ reason: String) -> HubError {
            HubError(.untrustedServer, "The server is not trusted: \(reason).")
        }

        static let noAuthorities = HubError(
            .configuration, "The certificate authorities contain no certificate as PEM.")
    }
#endif
