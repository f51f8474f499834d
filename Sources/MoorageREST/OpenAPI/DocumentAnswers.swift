/// The answers of operations.
enum DocumentAnswers {
    private static let statuses = [
        400, 401, 403, 404, 406, 408, 409, 410, 412, 413, 414, 415, 422, 429, 500, 503, 504,
    ]

    /// What any request may get.
    static let ofAll = [400, 401, 403, 414, 429, 500, 503, 504]
    /// What a request with a body may get.
    static let ofBodies = [408, 413, 415]

    // MARK: Components

    /// A component for each refusal.
    static var components: DocumentPart {
        .object(statuses.map { (name: name(of: $0), value: refusal($0)) })
    }

    private static func name(of status: Int) -> String {
        StatusTitle.of(status).split(separator: " ").joined()
    }

    private static func refusal(_ status: Int) -> DocumentPart {
        let headers: [Header] =
            switch status {
            case 401: [.challenge]
            case 429: [.retryAfter]
            case 500, 503: [.mayRetryAfter]
            default: []
            }
        return answer(
            meaning(of: status), headers: headers,
            content: [("application/problem+json", .schema("Problem"))])
    }

    private static func meaning(of status: Int) -> String {
        switch status {
        case 400: "The request cannot be understood."
        case 401: "Nobody has signed in."
        case 403: "The user may not do this."
        case 404: "There is no such row or table for this user."
        case 406: "The answer has no form that the request accepts."
        case 408: "The request came too slowly."
        case 409: "The rows that there are do not allow it, or the table is suspended."
        case 410: "The position has expired. Read everything again, without it."
        case 412: "The row is not in a version that the request allows."
        case 413: "The request or its answer is too large."
        case 414: "The path or the query is too long."
        case 415: "The body has another form."
        case 422: "The values do not fit."
        case 429: "The user has sent too many requests."
        case 503: "Not now. Try again."
        case 504: "The request takes the database longer than a request may."
        default: "The server failed."
        }
    }

    /// References to refusals, in the order of their statuses.
    static func refusals(_ statuses: [Int]) -> [(name: String, value: DocumentPart)] {
        statuses.sorted().map { status in
            (name: String(status), value: .component("responses", name(of: status)))
        }
    }

    // MARK: Headers

    enum Header: String, CaseIterable {
        case etag = "ETag"
        /// The header may be missing.
        case mayHaveETag = "OptionalETag"
        case location = "Location"
        case link = "Link"
        case preference = "PreferenceApplied"
        case challenge = "Challenge"
        case retryAfter = "RetryAfter"
        case mayRetryAfter = "OptionalRetryAfter"
        case requestID = "RequestID"

        fileprivate var member: (name: String, value: DocumentPart) {
            (name, .component("headers", rawValue))
        }

        private var name: String {
            switch self {
            case .etag, .mayHaveETag: "ETag"
            case .location: "Location"
            case .link: "Link"
            case .preference: "Preference-Applied"
            case .challenge: "WWW-Authenticate"
            case .retryAfter, .mayRetryAfter: "Retry-After"
            case .requestID: "X-Request-Id"
            }
        }

        private var isRequired: Bool {
            switch self {
            case .mayHaveETag, .link, .preference, .mayRetryAfter: false
            case .etag, .location, .challenge, .retryAfter, .requestID: true
            }
        }

        private var description: DocumentPart {
            switch self {
            case .etag, .mayHaveETag: "The version of what the path names."
            case .location: "The path of the new row."
            case .link: "The address of the next page."
            case .preference: "What counted of `Prefer`."
            case .challenge: "How to sign in."
            case .retryAfter, .mayRetryAfter: "Seconds to wait before another try."
            case .requestID: "Names the request in the server's log."
            }
        }

        private var schema: DocumentPart {
            switch self {
            case .location: ["type": "string", "format": "uri-reference"]
            case .retryAfter, .mayRetryAfter: ["type": "integer", "minimum": 1]
            default: ["type": "string"]
            }
        }

        var part: DocumentPart {
            let part: DocumentPart = ["description": description]
            return part.adding("required", isRequired ? true : nil).adding("schema", schema)
        }
    }

    /// A component for each header.
    static var headers: DocumentPart {
        .object(Header.allCases.map { (name: $0.rawValue, value: $0.part) })
    }

    // MARK: Parts

    /// - Parameter content: Media types with their schemas; empty for an answer without a body.
    static func answer(
        _ description: String, headers: [Header] = [],
        content: [(type: String, schema: DocumentPart)] = []
    ) -> DocumentPart {
        let part: DocumentPart = [
            "description": .text(description),
            "headers": .object((headers + [.requestID]).map(\.member)),
        ]
        guard !content.isEmpty else { return part }
        let types = content.map { (name: $0.type, value: ["schema": $0.schema] as DocumentPart) }
        return part.adding("content", .object(types))
    }

    static func json(
        _ description: String, headers: [Header] = [], _ schema: DocumentPart
    ) -> DocumentPart {
        answer(description, headers: headers, content: [(MediaType.json.rawValue, schema)])
    }
}
