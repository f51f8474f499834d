import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire

/// A way to the hub that notices which tables are read again. Nobody ever changes the row 0 of a
/// table, so it comes only where the whole table does.
final class WitnessWay: HubConnection {
    private let hub: Hub
    private let read = Locked<Set<String>>([])

    init(_ hub: Hub) { self.hub = hub }

    /// The tables whose row 0 has come since the last call of ``forget()``.
    var tablesRead: Set<String> { read.withLock { $0 } }

    func forget() { read.withLock { $0 = [] } }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        try await hub.exchange(request) { frame in
            if case .page(let page) = frame { self.look(page) }
            try await receive(frame)
        }
    }

    private func look(_ page: Page) {
        for table in page.tables {
            guard let key = table.columns.firstIndex(of: "id"),
                table.content.rows.contains(where: { $0[key] == .integer(0) })
            else { continue }
            read.withLock { _ = $0.insert(table.table) }
        }
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}
