#if Server
    import Hummingbird
    import MoorageWire

    /// Lets web pages of other sites use the server (CORS). They show a credential in a header, and
    /// no cookie, so any page may try.
    struct CrossOrigins: Sendable {
        private let allowed: Set<String>
        private let isOpen: Bool

        init(_ origins: [WebOrigin]) {
            allowed = Set(origins.map(\.description))
            isOpen = allowed.contains("*")
        }

        /// How long a browser remembers the answer to a preflight request, in seconds.
        private static let remembered = "3600"
        private static let methods = "GET, POST, PUT, PATCH, DELETE"
        private static let requestFields = """
            Authorization, Content-Type, Accept, If-Match, If-None-Match, Prefer, Idempotency-Key, \
            Last-Event-ID
            """
        private static let answerFields = """
            ETag, Location, Link, Retry-After, Preference-Applied, X-Request-Id
            """

        /// What each answer says to a page's browser.
        func fields(for request: HTTPFields) -> [(HTTPFields.Element.Name, String)] {
            guard !allowed.isEmpty else { return [] }
            // A cache must not answer another page with this answer.
            var fields: [(HTTPFields.Element.Name, String)] = isOpen ? [] : [(.vary, "Origin")]
            guard let origin = allowedOrigin(request) else { return fields }
            fields.append((.accessControlAllowOrigin, origin))
            fields.append((.accessControlExposeHeaders, Self.answerFields))
            return fields
        }

        /// Whether a browser asks what a page may do. It shows no credential.
        func isPreflight(_ request: Request) -> Bool {
            !allowed.isEmpty && request.method == .options
                && request.headers[.origin] != nil
                && request.headers[.accessControlRequestMethod] != nil
        }

        /// What the answer to a preflight request also says.
        func preflightFields(
            for request: HTTPFields
        ) -> [(HTTPFields.Element.Name, String)] {
            guard allowedOrigin(request) != nil else { return [] }
            return [
                (.accessControlAllowMethods, Self.methods),
                (.accessControlAllowHeaders, Self.requestFields),
                (.accessControlMaxAge, Self.remembered),
            ]
        }

        private func allowedOrigin(_ request: HTTPFields) -> String? {
            let origins = request[values: .origin]
            guard origins.count == 1 else { return nil }
            if isOpen { return "*" }
            return allowed.contains(origins[0]) ? origins[0] : nil
        }
    }
#endif
