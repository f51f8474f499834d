import Moorage
import MoorageCore
import MoorageWire

extension PushContext {
    /// Whether the server answers a collection's rows.
    func canRead(_ model: RESTModel) async throws -> Bool {
        guard model.settings.fetching.isReceived else { return false }
        var reader = CollectionReader(model, client, from: FeedState(), maximumPages: 1)
        do {
            return try await reader.next() != nil
        } catch let error as HubError
            where [.notFound, .unknownTable, .malformed].contains(error.code)
        {
            return false
        }
    }

    /// Looks through a collection for a row that the device has not heard of: the one that a request
    /// made whose answer got lost.
    ///
    /// - Returns: `nil` if there is none, and for a model that is never fetched.
    func search(
        _ model: RESTModel, known: Set<RowName> = [], for matches: (ServerRow) -> Bool
    ) async throws -> ServerRow? {
        var feed = try await store.write { try $0.feed(of: model.table.name) }
        switch model.settings.fetching.way {
        case .changes, .modifiedSince, .updatedSince: break
        case .never, .list, .pages, .numbered, .offset, .keyset: feed = FeedState()
        }
        var reader = CollectionReader(model, client, from: feed, maximumPages: limits.maximumPages)
        while let part = try await reader.next() {
            try Task.checkCancellation()
            // A row that cannot be read is not the one that was sent.
            let rows = try await store.inDeviceForm(
                part.items.filter { !model.isDeleted($0) }.compactMap { try? model.row($0) },
                of: model, schema, known: known)
            for row in rows where matches(row) {
                let name = RowName(table: model.table.name, key: row.key)
                let isTaken = rekeyed.contains { $0.key.table == name.table && $0.value == row.key }
                guard try await store.write({ try $0.row(name) == nil }), !isTaken else { continue }
                return row
            }
        }
        return nil
    }
}
