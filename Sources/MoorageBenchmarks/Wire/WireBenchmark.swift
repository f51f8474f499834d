import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire

/// How many bytes travel: a clone against the rows as CSV, a push against SQLite's own patchset.
struct WireBenchmark {
    let plan: Plan
    let folder: URL

    func run(_ report: Report) async throws {
        let items = Item.rows(plan.rows, seed: 2)
        try await clone(items, report)
        try push(items, report)
    }

    private func clone(_ items: [Item], _ report: Report) async throws {
        let central = folder.appending(path: "wire.db").path
        try RawSQLite(central).run(Item.sqliteSchema)
        try RawSQLite(central).insert(items)
        let hub = Hub(database: try SQLiteDatabase(path: central))
        _ = try await hub.attach()
        var sizes = [("the rows as CSV in key order, gzip -6", try Self.packed(Self.csv(items), 6))]
        for encoding in WireEncoding.allCases {
            let counting = CountingHub(hub: hub, encoding: encoding)
            let file = try DatabaseQueue(
                path: folder.appending(path: "\(UUID().uuidString).db").path)
            _ = try await Replica.clone(into: file, from: .direct(counting), tables: ["item"])
            sizes.append(("clone in \(encoding)", counting.plain))
            sizes.append(("clone in \(encoding), gzip as the server does", counting.packed))
        }
        report.sizes("bytes of a clone", rows: items.count, sizes)
    }

    private static func csv(_ items: [Item]) -> [UInt8] {
        var text = Item.columns.joined(separator: ",") + "\n"
        for item in items.sorted(by: { $0.id < $1.id }) {
            text += "\(item.id),\(item.name),\(item.note),\(item.quantity),\(item.flags),"
            text += "\(item.price),\(item.updatedAt)\n"
        }
        return Array(text.utf8)
    }

    private static func packed(_ bytes: [UInt8], _ level: Int32) throws -> Int {
        try GzipWriter(level: level).write(bytes, isLast: true).count
    }

    /// Updates of a text and a number, as the patchset of SQLite's session extension has them, and as
    /// a batch.
    private func push(_ items: [Item], _ report: Report) throws {
        let changed = Array(items.prefix(plan.changes))
        let file = try RawSQLite(folder.appending(path: "session.db").path)
        try file.run(Item.sqliteSchema)
        try file.insert(changed)
        let session = try SQLiteSession(on: file)
        try file.update(changed)
        let batch = Batch(
            number: 1, nonce: UUID().uuidString, preparedAt: 1_790_000_000_000,
            tables: [Item.table],
            changes: changed.enumerated().map { number, item in
                Change(
                    table: "item", key: RowKey([.text(item.id)]),
                    operation: .update([
                        ColumnEdit(column: 1, old: .text(item.name), new: .text(item.note)),
                        ColumnEdit(
                            column: 3, old: .integer(item.quantity),
                            new: .integer(item.quantity + 1)),
                    ]), editedAt: DeviceTime(milliseconds: 1_790_000_000_000 + Int64(number)))
            })
        let block = batch.block()
        report.sizes(
            "bytes of updates of 2 of 6 columns", rows: changed.count,
            [
                ("SQLite's patchset, which has no values before", try session.patchsetSize()),
                ("batch in blocks, with the values before", block.count),
                ("the same, gzip", try Self.packed(block, 1)),
                ("batch in JSON", batch.encoded().count),
            ])
    }
}

/// A hub whose answers are counted as they would travel.
private final class CountingHub: HubConnection, @unchecked Sendable {
    private let hub: Hub
    private let encoding: WireEncoding
    // Unchecked: a clone runs one exchange after the other.
    private(set) var plain = 0
    private(set) var packed = 0

    init(hub: Hub, encoding: WireEncoding) {
        self.hub = hub
        self.encoding = encoding
    }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        let gzip = try GzipWriter()
        try await hub.exchange(request) { frame in
            let bytes = self.encoding.encoded(frame)
            self.plain += bytes.count
            self.packed += gzip.write(bytes).count
            try await receive(frame)
        }
        packed += gzip.write([], isLast: true).count
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}
