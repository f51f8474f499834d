import Moorage
import MoorageCore
import MoorageWire

/// Brings the rows of all collections that are due.
struct CollectionsFetch {
    let schema: RESTSchema
    let client: RESTClient
    let store: RESTStore
    let sender: PageSender
    let limits: RESTLimits
    let times: ReadTimes
    /// Whether the replica has not all rows of some table yet.
    let isIncomplete: Bool
    /// Rows that this exchange pushed, and tables that must be read for what it pushed.
    let fresh: Set<RowName>
    let wanted: Set<String>

    /// - Throws: What one of them failed with, once the others were read. A server that does not
    ///   answer is not asked for the others.
    func run() async throws {
        var failure: HubError?
        for model in schema.models where model.settings.fetching.isReceived {
            guard try await isDue(model) else { continue }
            do {
                try await CollectionFetch(
                    model: model, client: client, store: store, sender: sender, limits: limits,
                    fresh: fresh
                ).run()
                times.read(model.table.name)
            } catch let error as HubError where error.isOfOneCollection {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private func isDue(_ model: RESTModel) async throws -> Bool {
        let table = model.table.name
        if isIncomplete || wanted.contains(table) { return true }
        let isDue = times.isDue(
            table, every: model.settings.interval, for: ExchangeOccasion.current)
        if isDue { return true }
        // A scan that broke off goes on.
        return try await store.write { try $0.feed(of: table).isScanning }
    }
}

extension HubError {
    /// Whether other collections of the server may be read all the same.
    fileprivate var isOfOneCollection: Bool {
        [.malformed, .notFound, .unknownTable, .tooLarge].contains(code)
            || code == .busy && retryAfter == nil
    }
}
