import Foundation
import Moorage
import MoorageCore
import MoorageWire

/// Reads a collection, answer by answer. It decides what to ask next, and keeps no rows.
struct CollectionReader {
    /// One answer.
    struct Part {
        let items: [JSON]
        let deleted: [JSON]
        /// Where this part begins, for a scan that breaks off in it.
        let begin: FeedState
    }

    let model: RESTModel
    let client: RESTClient
    let maximumPages: Int
    /// How far it is. After each part it is where the next one begins.
    private(set) var feed: FeedState
    /// Whether the server said that nothing has changed.
    private(set) var isUnchanged = false
    private var pages = 0
    private var link: URL?
    private var isEnded = false
    /// The validators of the list, for the end of the scan.
    private var validators: (etag: String?, modified: String?) = (nil, nil)
    /// The ids of the last page, as far as pages are counted.
    private var lastIDs: String?
    /// The greatest time from which to ask next, of the rows so far.
    private var greatest: UpdateTime?
    /// Rows of later times may still be missing in the answers.
    private var horizon: Date?

    private var fetching: RESTFetching { model.settings.fetching }

    init(_ model: RESTModel, _ client: RESTClient, from feed: FeedState, maximumPages: Int) {
        self.model = model
        self.client = client
        self.feed = feed
        self.maximumPages = maximumPages
        switch fetching.way {
        case .never: isEnded = true
        case .list: break
        case .pages, .numbered, .offset, .keyset:
            if !feed.isScanning { self.feed.beginScan() }
        case .changes, .updatedSince: if feed.cursor == nil { self.feed.beginScan() }
        case .modifiedSince: if feed.modified == nil { self.feed.beginScan() }
        }
        greatest = self.feed.cursor.map { UpdateTime($0) }
    }

    /// Whether rows may have moved from one answer to another while they were read.
    var isPaged: Bool {
        switch fetching.way {
        case .pages, .numbered, .offset, .keyset: true
        case .list, .modifiedSince, .updatedSince: pages > 1
        case .never, .changes: false
        }
    }

    /// The next part; `nil` at the end.
    mutating func next() async throws -> Part? {
        guard !isEnded else { return nil }
        pages += 1
        guard pages <= maximumPages else { throw HubError.restEndless(model.path) }
        let answer = try await client.send("GET", try address(), headers: conditions)
        if answer.status == 304, !conditions.isEmpty {
            isUnchanged = true
            isEnded = true
            return nil
        }
        guard answer.isSuccess else { return try await refused(answer) }
        return try read(answer)
    }

    private var conditions: [(name: String, value: String)] {
        guard link == nil else { return [] }
        var headers: [(name: String, value: String)] = []
        switch fetching.way {
        case .list:
            if let etag = feed.etag { headers.append(("If-None-Match", etag)) }
            if let modified = feed.modified { headers.append(("If-Modified-Since", modified)) }
        case .modifiedSince:
            if !feed.isScanning, let modified = feed.modified {
                headers.append(("If-Modified-Since", modified))
            }
        case .never, .pages, .numbered, .offset, .keyset, .changes, .updatedSince: break
        }
        return headers
    }

    private func address() throws(HubError) -> URL {
        if let link { return link }
        var query = fetching.parameters.sorted { $0.key < $1.key }.map {
            (name: $0.key, value: $0.value)
        }
        switch fetching.way {
        case .pages(_, let name), .keyset(let name), .changes(_, _, let name), .offset(let name),
            .updatedSince(let name, _, _):
            if let cursor = feed.cursor { query.append((name, cursor)) }
        case .numbered(let name, let first): query.append((name, feed.cursor ?? String(first)))
        case .never, .list, .modifiedSince: break
        }
        guard let url = client.address(model.path, query: query) else {
            throw .pathUnusable(model.path, of: model.table.name)
        }
        return url
    }

    /// How servers say that a position is none, or none any more.
    private static let forgotten: Set = [400, 404, 410, 414, 416, 422]

    private mutating func refused(_ answer: RESTAnswer) async throws -> Part? {
        // Some servers have no page behind the last one.
        if case .numbered = fetching.way, pages > 1, answer.status == 404 {
            isEnded = true
            return nil
        }
        // A position that the server has forgotten is no end: the scan begins again.
        guard feed.cursor != nil, Self.forgotten.contains(answer.status), pages == 1 else {
            throw answer.isGone || answer.status == 405
                ? HubError.restNotFound(model.path, status: answer.status)
                : HubError.restListRefused(model.path, status: answer.status)
        }
        feed.beginScan()
        greatest = nil
        return try await next()
    }

    // MARK: One answer

    private mutating func read(_ answer: RESTAnswer) throws -> Part {
        guard let json = try answer.json() ?? nothing(answer) else {
            // An answer that broke off looks like this. It must not remove all rows.
            throw HubError.restNotOurs("an empty answer")
        }
        guard let items = json.elements ?? json.member(at: fetching.items)?.elements else {
            throw HubError.restNotAList(model.path, fetching.items)
        }
        let deleted =
            fetching.namesDeleted
            ? fetching.deleted.flatMap { json.member(at: $0)?.elements } ?? [] : []
        var begin = feed
        let before = (feed.cursor, link)
        try goOn(after: answer, json, items, hasDeleted: !deleted.isEmpty)
        guard isEnded || before.0 != feed.cursor || before.1 != link else {
            throw HubError.restEndless(model.path)
        }
        begin.generation = feed.generation
        begin.isScanning = feed.isScanning
        return Part(items: items, deleted: deleted, begin: begin)
    }

    /// What an answer without a body means, where it can mean that nothing has changed.
    private func nothing(_ answer: RESTAnswer) -> JSON? {
        fetching.namesDeleted && !feed.isScanning && answer.status == 204 ? .array([]) : nil
    }

    /// Decides what to ask next.
    private mutating func goOn(
        after answer: RESTAnswer, _ json: JSON, _ items: [JSON], hasDeleted: Bool
    ) throws {
        switch fetching.way {
        case .never: isEnded = true
        case .list:
            if pages == 1 {
                // A scan that broke off is the same one, from its beginning.
                if !feed.isScanning { feed.beginScan() }
                let time = answer.headers["last-modified"] == nil ? nil : ModifiedTime(answer)
                validators = (answer.etag, time?.isRecent == true ? nil : time?.text)
            }
            try follow(answer, json, items)
            // They say nothing of the other pages.
            if link != nil { validators = (nil, nil) }
        case .modifiedSince:
            if pages == 1 { validators.modified = ModifiedTime(answer)?.asked }
            try follow(answer, json, items)
        case .updatedSince(_, let member, let next):
            if pages == 1 {
                horizon = answer.headers["date"].flatMap(HTTPDate.date).map { $0 - 60 }
            }
            try take(items, by: member)
            try follow(answer, json, items, next: next)
            // Rows with a lesser time may be on the next page.
            if isEnded { feed.cursor = greatest?.text }
        case .pages(let next, _):
            let value = try self.next(json, next)
            link = try value.link ?? nextLink(answer)
            feed.cursor = value.cursor
            isEnded = feed.cursor == nil && link == nil
            if isEnded, PageSigns.isPage(json) { throw HubError.restPartial(model.path) }
        case .numbered(_, let first):
            try notAgain(items)
            feed.cursor = String((feed.cursor.flatMap { Int($0) } ?? first) &+ 1)
            isEnded = items.isEmpty
        case .offset:
            try notAgain(items)
            feed.cursor = String((feed.cursor.flatMap { Int($0) } ?? 0) &+ items.count)
            isEnded = items.isEmpty
        case .keyset:
            // An item may be a row that was deleted meanwhile, so the last one counts in any case.
            feed.cursor = items.last?[model.table.id]?.addressText ?? feed.cursor
            isEnded = items.isEmpty
        case .changes(let next, let more, _):
            let before = feed.cursor
            if let cursor = json.member(at: next)?.addressText { feed.cursor = cursor }
            let hasMore: Bool? =
                if case .bool(let more)? = json.member(at: more) { more } else { nil }
            // Some feeds begin with the last change that the device knows.
            let isSame = before != nil && before == feed.cursor
            isEnded = !(hasMore ?? (!isSame && (!items.isEmpty || hasDeleted)))
        }
    }

    /// Goes on at a link, and else takes the answer for the last one.
    ///
    /// - Throws: ``HubError`` for an answer that shows in another way that more follows.
    private mutating func follow(
        _ answer: RESTAnswer, _ json: JSON, _ items: [JSON], next: String? = nil
    ) throws {
        let named = try next.flatMap { try self.next(json, $0).link }
        link = try named ?? nextLink(answer)
        isEnded = link == nil
        guard isEnded else { return }
        if PageSigns.isPage(json) || pages == 1 && PageSigns.isPart(answer, of: items.count) {
            throw HubError.restPartial(model.path)
        }
    }

    private func nextLink(_ answer: RESTAnswer) throws(HubError) -> URL? {
        guard let header = answer.headers["link"] else { return nil }
        return try NextLink.url(header, from: try address(), of: model.path)
    }

    /// What a member says of the next page.
    private func next(
        _ json: JSON, _ member: String
    ) throws(HubError) -> (cursor: String?, link: URL?) {
        guard let text = json.member(at: member)?.addressText, !text.isEmpty else {
            return (nil, nil)
        }
        guard NextLink.isAddress(text) else { return (text, nil) }
        return (nil, try NextLink.url(to: text, from: try address(), of: model.path))
    }

    /// A server that does not know the parameter answers the same page without end.
    private mutating func notAgain(_ items: [JSON]) throws(HubError) {
        let ids = items.map { $0[model.table.id]?.addressText ?? "" }.joined(separator: "\n")
        guard items.isEmpty || ids != lastIDs else { throw .restEndless(model.path) }
        lastIDs = ids
    }

    /// Takes the times of rows, as far as everything up to them has been read for sure. A server may
    /// finish a change after it took the change's time, and rows may change while pages are read. So
    /// the last minute is asked for again. Without the server's time, the rows of the first page
    /// alone count.
    private mutating func take(_ items: [JSON], by member: String) throws(HubError) {
        let times = items.compactMap { $0.member(at: member)?.addressText }
        guard items.isEmpty || !times.isEmpty || !feed.isScanning else {
            throw .restNoTime(model.path, member)
        }
        for text in times {
            let time = UpdateTime(text)
            let counts =
                if let horizon, let date = time.date { date <= horizon } else { pages == 1 }
            if counts, greatest.map({ $0 < time }) != false { greatest = time }
        }
    }

    /// The state after the last part.
    ///
    /// - Parameter hasFaults: Whether a row could not be read. A later version of the app may read
    ///   it, so the list counts as changed.
    func ended(hasFaults: Bool) -> FeedState {
        var feed = feed
        feed.isScanning = false
        switch fetching.way {
        case .changes, .updatedSince: break
        case .modifiedSince: feed.modified = validators.modified ?? feed.modified
        case .list where !hasFaults:
            feed.etag = validators.etag
            feed.modified = validators.modified
        case .list: feed.forgetProgress()
        case .never, .pages, .numbered, .offset, .keyset: feed.cursor = nil
        }
        return feed
    }
}
