import MoorageCore

/// What shows that an answer is one page of several. Whoever takes it for the whole removes the rows
/// of the others.
enum PageSigns {
    /// Members with what comes next: a cursor, a number or an address.
    private static let next = [
        "next", "next_cursor", "nextCursor", "next_page", "nextPage", "next_page_url",
        "nextPageToken", "next_page_token", "nextLink", "@odata.nextLink", "links.next",
        "_links.next", "meta.next_cursor", "meta.next_page", "meta.next", "pagination.next",
        "pagination.next_cursor", "paging.next",
    ]
    /// Members that are `true` while there is more.
    private static let more = [
        "has_more", "hasMore", "has_next", "hasNext", "meta.has_more", "meta.hasMore",
        "pagination.has_more", "pagination.hasMore", "pageInfo.hasNextPage",
    ]

    static func isPage(_ json: JSON) -> Bool {
        guard json.members != nil else { return false }
        return next.contains { json.member(at: $0).map(isThere) == true }
            || more.contains { json.member(at: $0).map(isTrue) == true }
    }

    private static func isTrue(_ value: JSON) -> Bool {
        if case .bool(true) = value { true } else { false }
    }

    private static func isThere(_ value: JSON) -> Bool {
        switch value {
        case .null, .array: false
        case .bool(let isThere): isThere
        case .number(let text): text != "0"
        case .string(let text): !text.isEmpty
        case .object: value["href"].map(isThere) == true
        }
    }

    /// Whether the headers tell of more rows than the answer has.
    static func isPart(_ answer: RESTAnswer, of count: Int) -> Bool {
        if answer.status == 206 { return true }
        let range = answer.headers["content-range"]?.split(separator: "/").last
        let totals = [answer.headers["x-total-count"]?[...], range].compactMap { text in
            text.flatMap { Int($0) }
        }
        return totals.contains { $0 > count }
    }
}
