import Foundation
import MoorageCore
import MoorageRESTHub

/// A collection of the API, and how it works.
struct FakeCollection: Sendable {
    struct Stored: Sendable {
        var json: JSON
        var version: Int
        /// When it changed last, by the count of changes.
        var changed: Int
    }

    /// How the list is answered.
    enum Listing: Sendable {
        case array, pages(Int), keyset(Int), links(Int), feed(Int), modifiedSince
        /// Pages whose next address is in the answer.
        case addresses(Int)
        case numbered(Int), offset(Int)
        /// By the member `updated`, with links. Deleted rows have `gone`.
        case updatedSince(Int)
    }

    /// Each way of fetching, with a server that answers so.
    static let ways: [(RESTFetching, Listing)] = [
        (.list(), .array), (.pages(), .pages(3)), (.pages(), .links(3)),
        (.keyset(), .keyset(3)), (.changes(), .feed(3)), (.modifiedSince(), .modifiedSince),
        (.list(), .links(3)), (.pages(items: "data.rows", next: "links.next"), .addresses(3)),
        (.numbered(), .numbered(3)), (.offset(), .offset(3)),
        (.updatedSince(member: "updated", deleted: "gone"), .updatedSince(3)),
    ]

    var rows: [String: Stored] = [:]
    var deleted: [String: Int] = [:]
    var listing = Listing.array
    var makesIDs = false
    var hasETags = true
    var hasWeakETags = false
    /// Whether a list has an `ETag`.
    var hasListETag = false
    /// Whether an answer to a write has the row.
    var answersRows = true
    var changes = 0
    var nextID = 100
    /// What a write makes of a row.
    var transform: (@Sendable (JSON) -> JSON)?
    /// Why a write is refused.
    var refuses: (@Sendable (JSON) -> (Int, String)?)?
    /// Ids of elements, by the array's member.
    var elementIDs: String?
    var oldestChange = 0
    /// Whether the answer to a new row has its address.
    var hasLocation = true
    /// How a row is updated. With another method there is no such route.
    var updates = "PUT"
    /// The member of a body that has the row.
    var envelope: String?
    /// Members that a body may have; `nil` for any.
    var accepts: Set<String>?
    /// Whether it keeps UUIDs as UUIDs, and writes them in lower case.
    var hasUUIDs = false

    init(_ texts: [String] = [], _ configure: (inout FakeCollection) -> Void = { _ in }) {
        configure(&self)
        for text in texts { put(JSON(text)) }
    }

    mutating func put(_ json: JSON) {
        let json = hasUUIDs ? json.withLowerCaseUUIDs : json
        guard let id = json["id"]?.plain else { return }
        changes += 1
        deleted[id] = nil
        rows[id] = Stored(
            json: json, version: (rows[id]?.version ?? 0) + 1, changed: changes)
    }

    mutating func delete(_ id: String) {
        changes += 1
        rows[id] = nil
        deleted[id] = changes
    }

    mutating func answer(_ request: FakeAPI.Request, id: String?, query: [String: String])
        -> FakeAnswer
    {
        let id = hasUUIDs ? id?.lowercased() : id
        let body = envelope.map { JSON(request.body)[$0] ?? .null } ?? JSON(request.body)
        if let accepts, case .object(let members) = body,
            let other = members.first(where: { !accepts.contains($0.name) })
        {
            return refusal(400, "No member \(other.name), please.")
        }
        switch (request.method, id) {
        case ("GET", nil): return list(request, query)
        case ("GET", let id?): return rows[id] == nil ? FakeAnswer(status: 404) : one(id, 200)
        case ("POST", nil): return insert(body)
        case (updates, let id?) where updates == "PATCH":
            guard case .object(let members) = body, let row = rows[id] else {
                return FakeAnswer(status: 404)
            }
            let joined = members.reduce(row.json) { $0.with($1.name, $1.value) }
            return replace(id, joined, request)
        case (updates, let id?): return replace(id, body, request)
        case ("PUT", _?), ("PATCH", _?): return FakeAnswer(status: 404)
        case ("DELETE", let id?): return remove(id, request)
        default: return FakeAnswer(status: 405)
        }
    }

    private func one(_ id: String, _ status: Int) -> FakeAnswer {
        guard let row = rows[id] else { return FakeAnswer(status: 404) }
        return FakeAnswer(
            status: status,
            headers: hasETags ? ["ETag": (hasWeakETags ? "W/" : "") + "\"\(row.version)\""] : [:],
            body: status == 200 || answersRows ? row.json.canonical : "")
    }

    // MARK: Writing

    private mutating func insert(_ json: JSON) -> FakeAnswer {
        if let (status, reason) = refuses?(json) { return refusal(status, reason) }
        var json = withElementIDs(transform?(json) ?? json)
        if makesIDs {
            json = json.with("id", .number("\(nextID)"))
            nextID += 1
        }
        if hasUUIDs { json = json.withLowerCaseUUIDs }
        guard let id = json["id"]?.plain else { return FakeAnswer(status: 422) }
        guard rows[id] == nil else { return refusal(409, "There is such a row.") }
        put(json)
        var answer = one(id, 201)
        if hasLocation { answer.headers["Location"] = "/api/x/\(id)/" }
        return answer
    }

    private mutating func replace(_ id: String, _ json: JSON, _ request: FakeAPI.Request)
        -> FakeAnswer
    {
        if let (status, reason) = refuses?(json) { return refusal(status, reason) }
        if request.headers["if-none-match"] == "*" {
            guard rows[id] == nil else { return FakeAnswer(status: 412) }
        } else if rows[id] == nil {
            return FakeAnswer(status: 404)
        }
        if isStale(id, request) { return FakeAnswer(status: 412) }
        put(
            withElementIDs(
                (transform?(json) ?? json).with("id", rows[id]?.json["id"] ?? json["id"] ?? .null)))
        return one(id, 200)
    }

    private mutating func remove(_ id: String, _ request: FakeAPI.Request) -> FakeAnswer {
        guard rows[id] != nil else { return FakeAnswer(status: 404) }
        if isStale(id, request) { return FakeAnswer(status: 412) }
        delete(id)
        return FakeAnswer(status: 204)
    }

    private func isStale(_ id: String, _ request: FakeAPI.Request) -> Bool {
        guard hasETags, let wanted = request.headers["if-match"], let row = rows[id] else {
            return false
        }
        return wanted != "\"\(row.version)\""
    }

    private func refusal(_ status: Int, _ reason: String) -> FakeAnswer {
        FakeAnswer(
            status: status,
            body: JSON.object([("detail", .string(reason))]).canonical)
    }

    private mutating func withElementIDs(_ json: JSON) -> JSON {
        guard let member = elementIDs, case .array(let elements)? = json[member] else {
            return json
        }
        var result: [JSON] = []
        for element in elements {
            if element["id"] == nil {
                result.append(element.with("id", .string("\(nextID)")))
                nextID += 1
            } else {
                result.append(element)
            }
        }
        return json.with(member, .array(result))
    }

    // MARK: Lists

    private var sorted: [(id: String, row: Stored)] {
        rows.map { ($0.key, $0.value) }.sorted { left, right in
            (Int(left.0) ?? 0, left.0) < (Int(right.0) ?? 0, right.0)
        }
    }

    private func list(_ request: FakeAPI.Request, _ query: [String: String]) -> FakeAnswer {
        let all = sorted.map(\.row.json)
        switch listing {
        case .array:
            let etag = "\"list-\(changes)\""
            if hasListETag, request.headers["if-none-match"] == etag {
                return FakeAnswer(status: 304)
            }
            return FakeAnswer(
                status: 200, headers: hasListETag ? ["ETag": etag] : [:],
                body: JSON.array(all).canonical)
        case .pages(let size), .links(let size):
            let begin = query["cursor"].flatMap { Int($0) } ?? 0
            let page = Array(all.dropFirst(begin).prefix(size))
            let hasMore = begin + size < all.count
            if case .links = listing {
                let link =
                    "<\(FakeAPI.address)/\(request.path.split(separator: "?")[0])?cursor=\(begin + size)>; rel=\"next\""
                return FakeAnswer(
                    status: 200, headers: hasMore ? ["Link": link] : [:],
                    body: JSON.array(page).canonical)
            }
            return FakeAnswer(
                status: 200,
                body: JSON.object([
                    ("items", .array(page)), ("next", hasMore ? .string("\(begin + size)") : .null),
                ]).canonical)
        case .addresses(let size):
            let begin = query["begin"].flatMap { Int($0) } ?? 0
            let next = JSON.string("?begin=\(begin + size)")
            return FakeAnswer(
                status: 200,
                body: JSON.object([
                    ("data", .object([("rows", .array(Array(all.dropFirst(begin).prefix(size))))])),
                    (
                        "links",
                        .object([("next", begin + size < all.count ? next : .null)])
                    ),
                ]).canonical)
        case .numbered(let size):
            let page = query["page"].flatMap { Int($0) } ?? 1
            return FakeAnswer(
                status: 200,
                body: JSON.array(Array(all.dropFirst((page - 1) * size).prefix(size))).canonical)
        case .offset(let size):
            let begin = query["offset"].flatMap { Int($0) } ?? 0
            return FakeAnswer(
                status: 200, body: JSON.array(Array(all.dropFirst(begin).prefix(size))).canonical)
        case .updatedSince(let size): return updated(request, query, size)
        case .keyset(let size):
            let after = query["after"]
            let page = sorted.filter { id, _ in
                after.map { (Int($0) ?? 0, $0) < (Int(id) ?? 0, id) } ?? true
            }.prefix(size).map(\.row.json)
            return FakeAnswer(status: 200, body: JSON.array(page).canonical)
        case .feed(let size): return feed(query["since"], size)
        case .modifiedSince:
            let since = request.headers["if-modified-since"].flatMap { Int($0.dropFirst(4)) }
            let items = sorted.filter { $0.row.changed > since ?? 0 }.map(\.row.json)
            let gone = deleted.filter { $0.value > since ?? .max }.keys.sorted()
            if since != nil, items.isEmpty, gone.isEmpty { return FakeAnswer(status: 304) }
            return FakeAnswer(
                status: 200, headers: ["Last-Modified": "day \(changes)"],
                body: JSON.object([
                    ("items", .array(items)), ("deleted", .array(gone.map { .string($0) })),
                ]).canonical)
        }
    }

    private func updated(
        _ request: FakeAPI.Request, _ query: [String: String], _ size: Int
    ) -> FakeAnswer {
        let since = query["since"].flatMap { Int($0) }
        var rows = sorted.map { (id: $0.id, time: $0.row.changed, json: $0.row.json) }
        if since != nil {
            rows += deleted.map { id, time in
                (id, time, .object([("id", .string(id)), ("gone", .string("2026-01-01"))]))
            }
        }
        let after = query["after"]
        let left = rows.filter { $0.time >= since ?? 0 && after.map($0.id.isBehind) != false }
            .sorted { $1.id.isBehind($0.id) }
        let page = left.prefix(size)
        var headers: [String: String] = [:]
        if left.count > size, let last = page.last?.id {
            let since = since.map { "&since=\($0)" } ?? ""
            headers["Link"] = "<?after=\(last)\(since)>; rel=\"next\""
        }
        return FakeAnswer(
            status: 200, headers: headers,
            body: JSON.array(
                page.map { $0.json.with("updated", .number("\($0.time)")) }
            ).canonical)
    }

    private func feed(_ cursor: String?, _ size: Int) -> FakeAnswer {
        let since = cursor.flatMap { Int($0) } ?? 0
        if cursor != nil, since < oldestChange { return FakeAnswer(status: 410) }
        var events: [(Int, JSON?, String)] = rows.map { ($0.value.changed, $0.value.json, $0.key) }
        if cursor != nil { events += deleted.map { ($0.value, nil, $0.key) } }
        let page = events.filter { $0.0 > since }.sorted { $0.0 < $1.0 }.prefix(size)
        let next = page.last?.0 ?? max(since, cursor == nil ? changes : since)
        return FakeAnswer(
            status: 200,
            body: JSON.object([
                ("items", .array(page.compactMap(\.1))),
                (
                    "deleted",
                    .array(page.filter { $0.1 == nil }.map { .string($0.2) })
                ),
                ("next", .string("\(next)")),
            ]).canonical)
    }
}

extension String {
    /// The order of ids.
    fileprivate func isBehind(_ other: String) -> Bool {
        (Int(other) ?? 0, other) < (Int(self) ?? 0, self)
    }
}

extension JSON {
    /// A text that a test wrote; `null` for one that is no JSON.
    init(_ text: String) { self = (try? JSON(parsing: text)) ?? .null }

    /// The same text for the same document.
    var canonical: String {
        String(decoding: JSONWriter.document { $0.json(sorted) }, as: UTF8.self)
    }

    private var sorted: JSON {
        switch self {
        case .object(let members):
            .object(
                members.map { ($0.name, $0.value.sorted) }.sorted { $0.0 < $1.0 }.map {
                    (name: $0.0, value: $0.1)
                })
        case .array(let elements): .array(elements.map(\.sorted))
        default: self
        }
    }

    fileprivate var withLowerCaseUUIDs: JSON {
        switch self {
        case .string(let text): .string(UUID(uuidString: text) == nil ? text : text.lowercased())
        case .array(let elements): .array(elements.map(\.withLowerCaseUUIDs))
        case .object(let members): .object(members.map { ($0.name, $0.value.withLowerCaseUUIDs) })
        default: self
        }
    }

    var plain: String? {
        switch self {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    func with(_ name: String, _ value: JSON) -> JSON {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name } + [(name: name, value: value)])
    }
}
