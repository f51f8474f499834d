import Moorage
import MoorageCore
import MoorageWire

/// Brings one collection's rows to the replica.
struct CollectionFetch {
    let model: RESTModel
    let client: RESTClient
    let store: RESTStore
    let sender: PageSender
    let limits: RESTLimits
    /// Rows that this exchange pushed. The list may not have them yet.
    let fresh: Set<RowName>

    private var table: String { model.table.name }

    func run() async throws {
        let feed = try await store.write { [table] in try $0.feed(of: table) }
        var reader = CollectionReader(
            model, client, from: feed, maximumPages: limits.maximumPages)
        var hasFaults = false
        while let part = try await reader.next() {
            try Task.checkCancellation()
            hasFaults = try await send(part, reader.feed) || hasFaults
        }
        guard !reader.isUnchanged else { return }
        if reader.feed.isScanning {
            try await removeMissing(reader)
            // A row that stays is asked for again, also where the list is as it was.
            let kept = try await missing(reader.feed, after: nil, limit: 1)
            hasFaults = hasFaults || !kept.isEmpty
        }
        try await sender.send(
            PageContent(sender.schema), feed: (table, reader.ended(hasFaults: hasFaults)))
    }

    // MARK: What came

    /// - Returns: Whether a row could not be read.
    private func send(_ part: CollectionReader.Part, _ feed: FeedState) async throws -> Bool {
        var items: [ListedItem] = []
        for json in part.deleted {
            if let item = try ListedItem(deleted: json, of: model) { items.append(item) }
        }
        var hasFaults = false
        var bytes = 0
        let most = min(max(1, sender.limits.maximumRows), 1_000)
        for (number, json) in part.items.enumerated() {
            let item = try ListedItem(json, of: model)
            if case .fault = item { hasFaults = true }
            bytes += item.byteCount
            items.append(item)
            let isFull = items.count >= most || bytes >= sender.limits.maximumBytes
            guard isFull, number + 1 < part.items.count else { continue }
            try await send(items, part.begin)
            (items, bytes) = ([], 0)
        }
        try await send(items, feed)
        return hasFaults
    }

    private func send(_ items: [ListedItem], _ feed: FeedState) async throws {
        let content = try await store.write { [model, schema = sender.schema] in
            try $0.content(of: items, in: model, schema)
        }
        try await sender.send(content, feed: (table, feed))
    }

    // MARK: What is missing

    /// Removes the rows that no answer of the scan had.
    private func removeMissing(_ reader: CollectionReader) async throws {
        let feed = reader.feed
        let few = try await missing(feed, after: nil, limit: Self.maximumAsked + 1)
        let asking = Asking(
            all: reader.isPaged
                || model.settings.fetching.way == .list && few.count <= Self.maximumAsked,
            isPaged: reader.isPaged)
        var after = try await store.write { [table] in try $0.asked(in: feed, of: table) }
        while true {
            try Task.checkCancellation()
            let rows = try await missing(feed, after: after, limit: 500)
            if rows.isEmpty { return }
            var items: [ListedItem] = []
            var failure: HubError?
            for (key, seen) in rows {
                do {
                    let scans = feed.generation - seen
                    if let item = try await item(key, missedBy: scans, asking) {
                        items.append(item)
                    }
                } catch let error as HubError {
                    failure = error
                    break
                }
                after = key
            }
            // A server that limits requests ends many exchanges here, and each gets on.
            try await send(items, feed)
            try await store.write { [table, after] in
                try $0.setAsked(after, in: feed, of: table)
            }
            if let failure { throw failure }
        }
    }

    /// Missing rows of a list that are asked for.
    private static let maximumAsked = 100
    /// So many scans in a row without it remove a row that its own address still has: a list need
    /// not have all rows that can be read.
    private static let maximumScans = 3

    private struct Asking {
        let all: Bool
        let isPaged: Bool
    }

    private func missing(
        _ feed: FeedState, after: RowKey?, limit: Int
    ) async throws -> [(key: RowKey, seen: Int64)] {
        try await store.write { [table] in
            try $0.missing(from: table, since: feed.generation, after: after, limit: limit)
        }
    }

    /// Rows move between pages while they are read, so a row that no page had may be there. A list
    /// may come from a cache. And a row that was just pushed may be gone again.
    ///
    /// - Returns: `nil` if nobody knows.
    private func item(
        _ key: RowKey, missedBy scans: Int64, _ asking: Asking
    ) async throws -> ListedItem? {
        guard asking.all || fresh.contains(RowName(table: table, key: key)),
            scans < Self.maximumScans, let id = RESTTable.id(of: key),
            let url = client.address(model.path, id: id)
        else { return .deleted(key) }
        let answer = try await client.send("GET", url)
        if answer.isGone || answer.status == 403 { return .deleted(key) }
        guard answer.isSuccess, let json = try answer.json().map(model.unwrapped) else {
            // An API without addresses of rows: another scan has to do.
            return asking.isPaged ? nil : .deleted(key)
        }
        if model.isDeleted(json) { return .deleted(key) }
        let read: ServerRow
        do { read = try model.row(json, etag: answer.etag) } catch { return .fault(key, error) }
        let row = try await store.inDeviceForm(
            [read], of: model, sender.schema, known: [RowName(table: table, key: key)])[0]
        return row.key == key ? .unlisted(row) : .deleted(key)
    }
}

/// What a list says of one row.
enum ListedItem: Sendable {
    case row(ServerRow)
    /// A row that is there, and that no list had.
    case unlisted(ServerRow)
    case deleted(RowKey)
    case fault(RowKey, RowFault)

    /// - Throws: ``HubError`` for an item without an id.
    init(_ json: JSON, of model: RESTModel) throws(HubError) {
        let key = json[model.table.id].flatMap { model.table.key(id: $0) }
        if let key, model.isDeleted(json) {
            self = .deleted(key)
            return
        }
        do { self = .row(try model.row(json)) } catch {
            guard let key else { throw .restRowWithoutID(model.path, error) }
            self = .fault(key, error)
        }
    }

    /// An id of a deleted row, or an object that has it.
    ///
    /// - Returns: `nil` for an id that no row of the device can have.
    /// - Throws: ``HubError`` for one without an id.
    init?(deleted json: JSON, of model: RESTModel) throws(HubError) {
        let id = json.members == nil ? json : json[model.table.id] ?? .null
        guard id.addressText != nil else { throw .restDeletedWithoutID(model.path) }
        guard let key = model.table.key(id: id) else { return nil }
        self = .deleted(key)
    }

    /// About how many bytes it has.
    var byteCount: Int {
        let row: ServerRow
        switch self {
        case .row(let listed), .unlisted(let listed): row = listed
        case .deleted, .fault: return 32
        }
        func bytes(_ values: RowValues) -> Int { values.reduce(32) { $0 + ($1?.byteCount ?? 0) } }
        let elements = row.children.flatMap { $0 ?? [] }
        return elements.reduce(bytes(row.values)) { $0 + bytes($1.values) }
    }
}

extension DeviceForm {
    fileprivate func item(_ item: ListedItem, of model: RESTModel) throws -> ListedItem {
        switch item {
        case .row(let row): .row(try self.row(row, of: model))
        case .unlisted(let row): .unlisted(try self.row(row, of: model))
        case .deleted(let key): .deleted(try self.key(key, in: model.table.name))
        case .fault(let key, let fault): .fault(try self.key(key, in: model.table.name), fault)
        }
    }
}

extension RESTRecords {
    /// What of a list is new to the device.
    fileprivate func content(
        of items: [ListedItem], in model: RESTModel, _ schema: RESTSchema
    ) throws -> PageContent {
        var content = PageContent(schema)
        let table = model.table.name
        let form = DeviceForm(schema: schema, records: self)
        for item in items {
            switch try form.item(item, of: model) {
            case .fault(let key, let fault):
                content.withhold(RowName(table: table, key: key), because: fault)
            case .deleted(let key):
                let name = RowName(table: table, key: key)
                let isNamed = content.names(name)
                guard try row(name) != nil || isNamed else { continue }
                let tables = model.children.map(\.table.name)
                content.drop(name, with: try elements(of: key, in: model), of: tables)
            case .row(let row), .unlisted(let row):
                let name = RowName(table: table, key: row.key)
                let known = try self.row(name)
                var isListed = true
                if case .unlisted = item { isListed = false }
                // What an answer says last of a row counts, also where it is what was before.
                let isNamed = content.names(name)
                if let known, known.digest == model.digest(of: row), !isNamed {
                    if isListed { content.keep(name) }
                    continue
                }
                if known != nil {
                    // Elements that the answer says nothing about stay.
                    content.remove(
                        try elements(of: row.key, in: model) { row.children[$0] != nil })
                }
                content.put(row, of: model)
                if !isListed { content.unlist(name) }
            }
        }
        return content
    }

    private func elements(
        of key: RowKey, in model: RESTModel, where isWanted: (Int) -> Bool = { _ in true }
    ) throws -> [RowName] {
        try model.children.enumerated().flatMap { number, group -> [RowName] in
            guard isWanted(number) else { return [] }
            return try children(group.table.name, of: key).map {
                RowName(table: group.table.name, key: $0)
            }
        }
    }
}
