import Foundation
import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire

/// A device of one user, of which nothing but the cursor is kept.
final class ScopedDevice {
    private let central: ScopedCentral
    private let principal: Principal
    private let requested: [RequestedScope]
    private let replica = UUID().uuidString.lowercased()
    private var cursor = SyncCursor.start
    /// The number of the last batch that the hub answered.
    private var answered: Int64 = 0

    /// - Parameter requested: What the device subscribed to.
    init(
        _ central: ScopedCentral, of principal: Principal,
        requesting requested: [RequestedScope] = []
    ) {
        self.central = central
        self.principal = principal
        self.requested = requested
    }

    /// Exchanges until a page has caught up. One that has everything exchanges once.
    ///
    /// - Parameter receive: Gets each page.
    /// - Returns: How many rows came.
    @discardableResult
    func catchUp(_ receive: (Page) -> Void = { _ in }) throws -> Int {
        var rows = 0
        var isCaughtUp = false
        repeat {
            try exchange(request(nil)) { page in
                rows += page.tables.reduce(0) { $0 + $1.content.count }
                isCaughtUp = page.isCaughtUp
                receive(page)
            }
        } while !isCaughtUp
        return rows
    }

    /// Sends another value of one row.
    func push(_ note: String, insteadOf old: String, in key: Int64) throws {
        let now = DeviceTime(.now)
        let edit = ColumnEdit(column: 2, old: .text(old), new: .text(note))
        let batch = Batch(
            number: answered + 1, nonce: UUID().uuidString, preparedAt: now,
            tables: [ScopedItems.table],
            changes: [
                Change(
                    table: "item", key: RowKey([.integer(key)]), operation: .update([edit]),
                    editedAt: now)
            ])
        try exchange(request(batch)) { _ in }
        guard answered == batch.number else {
            throw BenchmarkFailure("The batch was not answered.")
        }
    }

    /// Opens a live stream from what the device has.
    func follow() async throws -> LiveStream {
        let grant = LiveGrant()
        guard let hub = central.hub.asSeen(by: principal) as? any LiveHub,
            let stream = try await hub.begin(request(nil).live, grant: grant, receive: { _ in })
        else { throw BenchmarkFailure("The answer did not stay open.") }
        return stream
    }

    private func request(_ batch: Batch?) -> ExchangeRequest {
        var request = ExchangeRequest(
            replica: replica, hub: nil, sentAt: DeviceTime(.now), tables: [ScopedItems.table],
            cursor: cursor, schemaVersion: central.schemaVersion, answered: answered,
            batch: batch, limits: PageLimits())
        request.scopes = requested
        return request
    }

    private func exchange(_ request: ExchangeRequest, _ receive: (Page) -> Void) throws {
        try central.hub.exchange(request, for: principal) { frame in
            switch frame {
            case .welcome(let welcome):
                guard welcome.unavailable.isEmpty else {
                    throw BenchmarkFailure("A device may not see what it subscribed to.")
                }
            case .outcomes(let outcomes):
                guard outcomes.outcomes.allSatisfy({ $0.kind == .applied }) else {
                    throw BenchmarkFailure("The batch was not applied.")
                }
                answered = outcomes.number
            case .page(let page):
                receive(page)
                cursor = page.cursor
            case .alive, .end, .error: break
            }
        }
    }
}
