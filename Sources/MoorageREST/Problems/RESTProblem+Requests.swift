/// What is wrong with a request before any row counts.
extension RESTProblem {
    static func malformed(_ detail: String) -> RESTProblem {
        RESTProblem(status: 400, code: "malformed", detail: detail)
    }

    static func wrongMethod(allowed: [String]) -> RESTProblem {
        let list = allowed.joined(separator: ", ")
        return RESTProblem(
            status: 405, code: "method", detail: "This path takes only \(list).",
            headers: [("Allow", list)])
    }

    // MARK: Addresses

    static let badPath = malformed(
        "The path has an escape that is no UTF-8. Percent-encode each byte, as in `%2C`.")

    static func addressTooLong(most bytes: Int) -> RESTProblem {
        RESTProblem(
            status: 414, code: "tooLong",
            detail: "The path or the query is longer than \(bytes) bytes. Shorten it.")
    }

    static func parameter(_ detail: String) -> RESTProblem {
        RESTProblem(status: 400, code: "parameter", detail: detail)
    }

    static let badQuery = parameter(
        "The query has an escape that is no UTF-8. Percent-encode each byte, as in `%2C`.")

    static func unknownParameter(_ name: String, known: [String]) -> RESTProblem {
        parameter(
            known.isEmpty
                ? "This request takes no parameters, and so no `\(name)`."
                : "This request takes no parameter `\(name)`. It takes only \(listed(known)).")
    }

    static func parameterTwice(_ name: String) -> RESTProblem {
        parameter("The parameter `\(name)` comes twice. Write it once.")
    }

    static func wrongFlag(_ name: String) -> RESTProblem {
        parameter("The parameter `\(name)` is `true` or `false`.")
    }

    static func notInCSV(_ name: String) -> RESTProblem {
        parameter("CSV has no place for `\(name)`. Leave it out, or ask for `application/json`.")
    }

    // MARK: Time

    /// The time of a request is over, and its statement was interrupted.
    static func tooSlow(_ route: RESTService.Route) -> RESTProblem {
        tooSlow(
            route.isRead
                ? "Narrow the filter, or add an index for it in the central database."
                : "Nothing was written. Write fewer rows at once.")
    }

    static let tooSlowAfterWriting = tooSlow(
        """
        The writes are done, and the rows are not read. Send the request again with its \
        `Idempotency-Key`, or read fewer rows at once.
        """)

    private static func tooSlow(_ rest: String) -> RESTProblem {
        RESTProblem(
            status: 504, code: "tooSlow",
            detail: "The request takes the database longer than a request may. \(rest)")
    }

    // MARK: Headers

    static func notAcceptable(_ offers: [String]) -> RESTProblem {
        RESTProblem(
            status: 406, code: "notAcceptable",
            detail: "The answer comes only as \(listed(offers)). Name it in `Accept`.")
    }

    static func wrongMediaType(allowed: [String]) -> RESTProblem {
        RESTProblem(
            status: 415, code: "mediaType",
            detail: """
                The body must come with `Content-Type` \(listed(allowed, "or")), in UTF-8.
                """)
    }

    static func badHeader(_ name: String, _ remedy: String) -> RESTProblem {
        malformed("The header `\(name)` cannot be read. \(remedy)")
    }

    static let entityTagForm = "Write `\"…\"` as in an `ETag`, several with commas, or `*`."

    static let documentChanged = RESTProblem(
        status: 412, code: "changed",
        detail: "The document is not in a version that the request names. Read it again.")

    static let twoPreconditions = malformed(
        "A write takes one of `If-Match` and `If-None-Match`. Leave one out.")

    static func preconditionOfMany(_ name: String) -> RESTProblem {
        malformed(
            """
            `\(name)` is about one row, and this path is not a row's. Use `/v1/batch` with `$etag`, \
            or the row's own path.
            """)
    }

    static let twoLastIDs = badHeader("Last-Event-ID", "Send it once.")

    static let badIdempotencyKey = badHeader(
        "Idempotency-Key", "Send it once, with 1 to 128 printable ASCII characters.")

    // MARK: Bodies

    static let emptyBody = malformed("The body is empty. Send rows as JSON.")

    static func notJSON(_ reason: String, at byte: Int) -> RESTProblem {
        malformed("The body is not JSON that the hub reads: \(reason), at byte \(byte).")
    }

    static func needsTooMuchMemory(most bytes: Int) -> RESTProblem {
        RESTProblem(
            status: 413, code: "tooLarge",
            detail: "The body needs more than \(bytes) bytes of memory. Send several requests.")
    }

    static let noObject = malformed("A row is an object with a member for each column.")

    static func tooManyWrites(most count: Int) -> RESTProblem {
        RESTProblem(
            status: 413, code: "tooManyWrites",
            detail: "The request writes more than \(count) rows. Send several requests.")
    }

    /// Names in a sentence.
    private static func listed(_ names: [String], _ word: String = "and") -> String {
        let quoted = names.map { "`\($0)`" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " \(word) \(last)"
    }
}
