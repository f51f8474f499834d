import MoorageCore
import MoorageWire

/// Pages and batches, to bytes and back.
enum WireGuards {
    static var all: [Guard] {
        [
            encoding("page to blocks") { items in
                let frame = page(items)
                return { frame.block() }
            },
            decoding("page from blocks") {
                page($0).block()
            } read: {
                try rows(in: try Frame(block: $0))
            },
            encoding("page to JSON") { items in
                let frame = page(items)
                return { frame.encoded() }
            },
            decoding("page from JSON") {
                page($0).encoded()
            } read: {
                try rows(in: try Frame(decoding: $0))
            },
            encoding("batch to blocks") { items in
                let batch = batch(items)
                return { batch.block() }
            },
            decoding("batch from blocks") {
                request(batch($0)).block()
            } read: {
                try ExchangeRequest(decoding: $0).batch?.changes.count
            },
            decoding("batch from JSON") {
                request(batch($0)).encoded()
            } read: {
                try ExchangeRequest(decoding: $0).batch?.changes.count
            },
        ]
    }

    private static func encoding(
        _ name: String, _ prepare: @escaping ([Item]) -> () -> [UInt8]
    ) -> Guard {
        Guard(name: name) { size in
            let encode = prepare(Item.rows(size, seed: 1))
            return GuardedWork {
                guard !encode().isEmpty else { throw BenchmarkFailure("Nothing was encoded.") }
            }
        }
    }

    private static func decoding(
        _ name: String, _ encode: @escaping ([Item]) -> [UInt8],
        read: @escaping ([UInt8]) throws -> Int?
    ) -> Guard {
        Guard(name: name) { size in
            let bytes = encode(Item.rows(size, seed: 1))
            return GuardedWork {
                guard try read(bytes) == size else {
                    throw BenchmarkFailure("\(name): not all came back.")
                }
            }
        }
    }

    private static func page(_ items: [Item]) -> Frame {
        .page(
            Page(
                since: .start, cursor: .start, isCaughtUp: true,
                tables: [
                    TableRows(
                        table: "item", columns: Item.columns, rows: items.map(\.values))
                ], removals: []))
    }

    private static func rows(in frame: Frame) throws -> Int? {
        guard case .page(let page) = frame else { return nil }
        return page.tables.first?.content.count
    }

    private static func batch(_ items: [Item]) -> Batch {
        GuardedBatch.updates(of: items, number: 1)
    }

    private static func request(_ batch: Batch) -> ExchangeRequest {
        ExchangeRequest(
            replica: GuardedBatch.replica, hub: nil, sentAt: batch.preparedAt,
            tables: [Item.table], cursor: .start, schemaVersion: nil, batch: batch,
            limits: PageLimits())
    }
}
