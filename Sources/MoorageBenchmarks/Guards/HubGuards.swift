import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageWire

/// A hub's work on SQLite.
struct HubGuards {
    let folder: URL

    var all: [Guard] { [reading, insertsPushed, updatesPushed, idle] }

    private static let base = 6_000

    /// A page, from the tables to the frame.
    private var reading: Guard {
        Guard(name: "page read by the hub") { size in
            let central = try await GuardedHub(folder, rows: Item.rows(size, seed: 5))
            let request = Self.request(nil)
            return GuardedWork(connections: [central.connection]) {
                var rows = 0
                try central.hub.exchange(request) { (frame: Frame) in
                    guard case .page(let page) = frame else { return }
                    rows += page.tables.reduce(0) { $0 + $1.content.count }
                }
                guard rows == size else { throw BenchmarkFailure("Not all rows came.") }
            }
        }
    }

    private var insertsPushed: Guard {
        pushing("push of inserts, merged") { GuardedBatch.inserts(of: Item.rows($0, seed: 6)) }
    }

    private var updatesPushed: Guard {
        pushing("push of updates, merged") {
            GuardedBatch.updates(
                of: Array(Item.rows(Self.base, seed: 7).prefix($0)), number: 1)
        }
    }

    /// A batch, from its frame to its outcomes.
    private func pushing(_ name: String, _ batch: @escaping (Int) -> Batch) -> Guard {
        Guard(name: name) { size in
            let central = try await GuardedHub(folder, rows: Item.rows(Self.base, seed: 7))
            let request = Self.request(batch(size))
            return GuardedWork(connections: [central.connection]) {
                try Self.push(request, to: central.hub)
            }
        }
    }

    private struct Done: Error {}

    private static func push(_ request: ExchangeRequest, to hub: Hub) throws {
        do {
            try hub.exchange(request) { (frame: Frame) in
                guard case .outcomes(let outcomes) = frame else { return }
                guard outcomes.outcomes.allSatisfy({ $0.kind == .applied }) else {
                    throw BenchmarkFailure("The batch was not applied.")
                }
                // The pages behind them are counted by themselves.
                throw Done()
            }
            throw BenchmarkFailure("There were no outcomes.")
        } catch is Done {}
    }

    private static func request(_ batch: Batch?) -> ExchangeRequest {
        ExchangeRequest(
            replica: GuardedBatch.replica, hub: nil, sentAt: 1_790_000_000_000,
            tables: [Item.table], cursor: .start, schemaVersion: nil, batch: batch,
            limits: PageLimits())
    }

    /// Device and hub together, when there is nothing to do.
    private var idle: Guard {
        Guard(name: "exchange with nothing to do", sizes: (20, 220)) { size in
            let central = try await GuardedHub(folder, rows: Item.rows(100, seed: 8))
            let queue = try DatabaseQueue(
                path: folder.appending(path: "\(UUID().uuidString).db").path)
            let replica = try await Replica.clone(
                into: queue, from: .direct(central.hub), tables: ["item"])
            return GuardedWork(connections: [central.connection, try queue.handle()]) {
                for _ in 0..<size { _ = try await replica.sync() }
            }
        }
    }
}
