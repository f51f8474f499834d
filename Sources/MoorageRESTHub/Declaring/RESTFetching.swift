/// How rows of a collection come from the server.
///
/// A list is a JSON array, or an object with the array in a member. A member of an answer may be
/// inside others: `data.items` is the member `items` of `data`.
public struct RESTFetching: Hashable, Sendable {
    enum Way: Hashable, Sendable {
        case never, list, modifiedSince
        /// - Parameters:
        ///   - next: The member of an answer with the next page's cursor or address.
        ///   - cursor: The parameter of a request that has the cursor.
        case pages(next: String, cursor: String)
        case numbered(page: String, first: Int)
        case offset(String)
        case keyset(after: String)
        case changes(next: String, more: String, cursor: String)
        case updatedSince(parameter: String, member: String, next: String)
    }

    let way: Way
    let items: String
    /// The member of a row that says that it was deleted; `nil` where a row is always there. In a
    /// feed it is also the member of the answer with the ids of deleted rows.
    let deleted: String?
    /// Parameters of each request for the collection, such as `["limit": "500"]`.
    public var parameters: [String: String]

    private init(
        _ way: Way, items: String = "items", deleted: String? = nil,
        _ parameters: [String: String] = [:]
    ) {
        self.way = way
        self.items = items
        self.deleted = deleted
        self.parameters = parameters
    }

    /// Rows are only sent.
    public static let never = RESTFetching(.never)

    /// An answer has all rows. The device compares digests, so it writes only what changed, and
    /// removes what is missing. It sends `If-None-Match` and `If-Modified-Since` where the last
    /// answer had an `ETag` or `Last-Modified`, and does nothing for a 304.
    ///
    /// If the header `Link` has `rel="next"`, the rest is read, too. If an answer shows in any other
    /// way that it is one page of several, that is an error, and nothing of it is applied. Otherwise
    /// the device would remove the rows of the other pages.
    ///
    /// Of up to 100 missing rows the device asks for each before it removes it. A list may come
    /// from a cache.
    ///
    /// - Parameters:
    ///   - items: The member with the array, where the answer is an object.
    ///   - deleted: The member of a row that says that it was deleted: `true`, or a date. Without
    ///     it, each row that the server answers is there.
    ///   - parameters: Parameters of each request.
    public static func list(
        items: String = "items", deleted: String? = nil, parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(.list, items: items, deleted: deleted, parameters)
    }

    /// Pages have all rows. An answer names the next page by a cursor or an address, or its header
    /// `Link` has `rel="next"`. Before the device removes a row that no page had, it asks for that
    /// row.
    ///
    /// - Parameters:
    ///   - items: The member with the array.
    ///   - next: The member with the next page's cursor, or its address at the same server; missing,
    ///     `null` or empty on the last page.
    ///   - cursor: The parameter of a request that has the cursor.
    ///   - deleted: The member of a row that says that it was deleted: `true`, or a date.
    ///   - parameters: Parameters of each request but those whose address the server names.
    public static func pages(
        items: String = "items", next: String = "next", cursor: String = "cursor",
        deleted: String? = nil, parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(
            .pages(next: next, cursor: cursor), items: items, deleted: deleted, parameters)
    }

    /// Pages with numbers have all rows. A page without rows is the last, or one that is answered
    /// with 404. Before the device removes a row that no page had, it asks for that row.
    ///
    /// - Parameters:
    ///   - items: The member with the array, where the answer is an object.
    ///   - page: The parameter with the number.
    ///   - first: The number of the first page.
    ///   - deleted: The member of a row that says that it was deleted: `true`, or a date.
    ///   - parameters: Parameters of each request, such as `["per_page": "100"]`.
    public static func numbered(
        items: String = "items", page: String = "page", from first: Int = 1,
        deleted: String? = nil, parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(
            .numbered(page: page, first: first), items: items, deleted: deleted, parameters)
    }

    /// Pages have all rows, and each begins behind a number of rows. A page without rows is the
    /// last. Before the device removes a row that no page had, it asks for that row.
    ///
    /// - Parameters:
    ///   - items: The member with the array, where the answer is an object.
    ///   - offset: The parameter with the number of rows before the page.
    ///   - deleted: The member of a row that says that it was deleted: `true`, or a date.
    ///   - parameters: Parameters of each request, such as `["limit": "100"]`.
    public static func offset(
        items: String = "items", by offset: String = "offset", deleted: String? = nil,
        parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(.offset(offset), items: items, deleted: deleted, parameters)
    }

    /// Pages have all rows in the order of their ids. The next page begins behind the last id. The
    /// last page has no rows.
    ///
    /// - Parameters:
    ///   - items: The member with the array, where the answer is an object.
    ///   - after: The parameter with the last id.
    ///   - deleted: The member of a row that says that it was deleted: `true`, or a date.
    ///   - parameters: Parameters of each request.
    public static func keyset(
        items: String = "items", after: String = "after", deleted: String? = nil,
        parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(.keyset(after: after), items: items, deleted: deleted, parameters)
    }

    /// A change feed: an answer has what changed since a cursor, and the next cursor. Without a
    /// cursor it has all rows. After a 410 the device reads everything again.
    ///
    /// - Parameters:
    ///   - items: The member with the rows that are new or changed.
    ///   - deleted: The member with the ids of deleted rows. A row with a member of this name that
    ///     is `true` or a date counts as deleted, too.
    ///   - next: The member with the next cursor.
    ///   - more: The member that is `true` while more has changed. Without it, an answer that has
    ///     nothing is the last.
    ///   - cursor: The parameter that has the cursor in a request.
    ///   - parameters: Parameters of each request.
    public static func changes(
        items: String = "items", deleted: String = "deleted", next: String = "next",
        more: String = "more", cursor: String = "since", parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(
            .changes(next: next, more: more, cursor: cursor), items: items, deleted: deleted,
            parameters)
    }

    /// The answer has the rows that changed since the time in `If-Modified-Since`, or is 304.
    /// Without that header it has all rows. The time is the `Last-Modified` of the answer before,
    /// or its `Date`.
    ///
    /// - Parameters:
    ///   - items: The member with the array, where the answer is an object.
    ///   - deleted: The member with the ids of deleted rows. A row with a member of this name that
    ///     is `true` or a date counts as deleted, too. If the server says neither, deletions do not
    ///     arrive.
    ///   - parameters: Parameters of each request.
    public static func modifiedSince(
        items: String = "items", deleted: String = "deleted", parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(.modifiedSince, items: items, deleted: deleted, parameters)
    }

    /// The answer has the rows that changed since a time in a parameter, such as
    /// `?since=2026-03-01T10:00:00Z`. Without the parameter it has all rows. The time is the
    /// greatest that rows had so far, as the server wrote it. Rows with exactly that time must be in
    /// the next answer again, unless no two rows have the same time.
    ///
    /// An answer has all of these rows. Or it names the address of the rest, in the header `Link`
    /// or in a member.
    ///
    /// - Parameters:
    ///   - items: The member with the array, where the answer is an object.
    ///   - member: The member of a row with the time of its last change: a date, or a number.
    ///   - parameter: The parameter with the time.
    ///   - next: The member with the address of the next page.
    ///   - deleted: The member of a row that says that it was deleted: `true`, or a date. Without
    ///     it, deletions do not arrive.
    ///   - parameters: Parameters of each request but those whose address the server names.
    public static func updatedSince(
        items: String = "items", member: String = "updated_at", parameter: String = "since",
        next: String = "next", deleted: String? = nil, parameters: [String: String] = [:]
    ) -> RESTFetching {
        RESTFetching(
            .updatedSince(parameter: parameter, member: member, next: next), items: items,
            deleted: deleted, parameters)
    }

    var isReceived: Bool { way != .never }

    /// Whether the answer has the ids of deleted rows beside the rows.
    var namesDeleted: Bool {
        switch way {
        case .changes, .modifiedSince: true
        case .never, .list, .pages, .numbered, .offset, .keyset, .updatedSince: false
        }
    }
}
