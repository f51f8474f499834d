import Foundation
import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

/// The answer to a client that sends NaN or infinity, and what the database then contains.
@Suite(.ownThreads) struct `NaN from a client` {
    private static let replica = "00000000-0000-4000-8000-00000000000f"
    private static let columns = ["id", "value"]

    /// A NaN with a payload, which only a hand-made message has.
    private static let payload = Double(bitPattern: 0xFFF0_0000_0800_0000)

    @Test(arguments: CentreKind.available, WireEncoding.allCases)
    func `is refused by itself, and the database keeps nothing of it`(
        kind: CentreKind, encoding: WireEncoding
    ) async throws {
        let real = kind == .sqlite ? "DOUBLE" : "DOUBLE PRECISION"
        let schema = ["CREATE TABLE reading (id INTEGER NOT NULL PRIMARY KEY, value \(real))"]
        try await World.run(kind, schema: schema) { world in
            try world.centre.execute("INSERT INTO reading VALUES (1, 0.5), (2, 0.5)")
            let pushed: [(id: Int64, operation: Operation)] = [
                (1, .update(.nan)), (2, .update(1.5)), (3, .insert(Self.payload)),
                (4, .insert(.infinity)), (5, .insert(-.infinity)), (6, .insert(2.5)),
            ]
            let outcomes = try await push(pushed.map(Self.change), world.hub, encoding)
            let codes = outcomes.map { outcome -> Refusal.Code? in
                if case .refused(let refusal) = outcome.kind { refusal.code } else { nil }
            }
            #expect(
                codes == [
                    .notRepresentable, nil, .notRepresentable, .notRepresentable,
                    .notRepresentable, nil,
                ])
            let table = try #require(try await world.hub.schema().schema.table(named: "reading"))
            let rows = try world.centre.rows(table).sorted { "\($0)" < "\($1)" }
            #expect(
                rows == [
                    [.integer(1), .real(0.5)], [.integer(2), .real(1.5)],
                    [.integer(6), .real(2.5)],
                ])
        }
    }

    private enum Operation {
        case insert(Double)
        case update(Double)
    }

    private static func change(_ id: Int64, _ operation: Operation) -> Change {
        let key = Value.integer(id)
        let carriedOut: Change.Operation =
            switch operation {
            case .insert(let value): .insert([key, .real(value)])
            case .update(let value):
                .update([ColumnEdit(column: 1, old: .real(0.5), new: .real(value))])
            }
        return Change(
            table: "reading", key: RowKey([key]), operation: carriedOut,
            editedAt: DeviceTime(.now))
    }

    /// Pushes the encoded bytes of a request, as any client would.
    private func push(
        _ changes: [Change], _ hub: Hub, _ encoding: WireEncoding
    ) async throws -> [Outcome] {
        let tables = [TableColumns(name: "reading", columns: Self.columns)]
        let now = DeviceTime(.now)
        let sent = ExchangeRequest(
            replica: Self.replica, hub: nil, sentAt: now, tables: tables, cursor: .start,
            schemaVersion: nil,
            batch: Batch(
                number: 1, nonce: "numbers", preparedAt: now, tables: tables, changes: changes),
            limits: PageLimits())
        return try await hub.outcomes(of: ExchangeRequest(decoding: encoding.encoded(sent)))
    }
}
