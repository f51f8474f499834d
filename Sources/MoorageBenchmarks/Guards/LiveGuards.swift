import Foundation
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire

/// A hub's live streams.
struct LiveGuards {
    let folder: URL

    var all: [Guard] { [polling, sharing] }

    /// The poll that runs ten times a second while any stream waits.
    private var polling: Guard {
        Guard(name: "poll with nothing changed") { size in
            let central = try await GuardedHub(folder, rows: Item.rows(100, seed: 9))
            return GuardedWork(connections: [central.connection]) {
                for _ in 0..<size {
                    _ = try central.database.perform { try $0.changeToken() }
                }
            }
        }
    }

    /// One page of 200 rows for many streams: each further stream costs less than the page's bytes.
    private var sharing: Guard {
        Guard(name: "one more stream for a page", sizes: (50, 250)) { size in
            // The hub neither polls on a timer nor sends heartbeats.
            var configuration = HubConfiguration()
            configuration.live.interval = .seconds(3_600)
            configuration.live.heartbeat = .seconds(3_600)
            let central = try await GuardedHub(
                folder, rows: Item.rows(200, seed: 10), configuration: configuration)
            let audience = try await Audience(of: size, at: central.hub)
            return GuardedWork(connections: [central.connection]) {
                try await audience.hear { try push(to: central.hub) }
            }
        }
    }

    private func push(to hub: Hub) throws {
        let batch = GuardedBatch.updates(of: Item.rows(200, seed: 10), number: 1)
        try hub.exchange(
            ExchangeRequest(
                replica: GuardedBatch.replica, hub: nil, sentAt: batch.preparedAt,
                tables: [Item.table], cursor: .start, schemaVersion: nil, batch: batch,
                limits: PageLimits(maximumPages: 1))
        ) { (_: Frame) in }
    }
}

/// Devices with live streams. Each stream ends with the first page that the hub sends it.
private struct Audience {
    private let streams: [Task<Void, any Error>]

    private struct Heard: Error {}

    init(of count: Int, at hub: Hub) async throws {
        let schema = try hub.currentSchema()
        var streams: [Task<Void, any Error>] = []
        for number in 0..<count {
            let request = ExchangeRequest(
                replica: String(format: "6f9619ff-8b86-4011-b42d-%012d", number), hub: schema.hub,
                sentAt: 1_790_000_000_000, tables: [Item.table], cursor: .start,
                schemaVersion: schema.schema.version, batch: nil, limits: PageLimits()
            ).live
            guard let stream = try await hub.begin(request, grant: LiveGrant(), receive: { _ in })
            else { throw BenchmarkFailure("The answer did not stay open.") }
            streams.append(
                Task {
                    do {
                        try await stream.run { frame in
                            guard !frame.encoded(in: .blocks).isEmpty else { return }
                            throw Heard()
                        }
                    } catch is Heard {}
                })
        }
        self.streams = streams
        while hub.liveFigures.waiting < count || hub.liveFigures.behind > 0 {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func hear(_ tell: () throws -> Void) async throws {
        try tell()
        for stream in streams { try await stream.value }
    }
}
