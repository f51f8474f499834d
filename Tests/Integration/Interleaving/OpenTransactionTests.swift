import GRDB
import Moorage
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// The owner's transactions are open while a replica reads in the smallest pages. Each time that it
/// caught up, it has whole transactions and misses nothing (docs/reference/hub.md, Versions and
/// checkpoints).
///
/// `Concurrency` tests the same promise with random writers at night.
@Suite(.ownThreads) struct `Transactions that are open beside a replica` {
    /// Pairs with one row missing, or with two different rows.
    private static let broken = """
        SELECT count(*) FROM (
          SELECT l.id FROM pair_left l LEFT JOIN pair_right r ON r.id = l.id
          WHERE l.token IS NOT r.token
          UNION ALL
          SELECT r.id FROM pair_right r LEFT JOIN pair_left l ON l.id = r.id WHERE l.id IS NULL)
        """

    @Test(arguments: CentreKind.available)
    func `are seen whole by a sync between any two statements`(kind: CentreKind) async throws {
        try await World.run(kind, schema: OwnersScript.schema) { world in
            let device = try await world.clone("A", pageRows: 1)
            let script = try OwnersScript(world.centre)
            while !script.isOver {
                let step = try script.next()
                let summary = try await device.replica.sync()
                #expect(summary.isCaughtUp, "\(step)")
                #expect(try device.text(Self.broken) == "0", "\(step)")
                // The device has exactly what is committed.
                #expect(try await world.differences(device) == [], "\(step)")
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `are seen whole where each statement comes between two pages`(
        kind: CentreKind
    ) async throws {
        try await World.run(kind, schema: OwnersScript.schema) { world in
            // The first exchange writes at the hub. In a file, that write waits for an open
            // transaction.
            try await world.clone("before").replica.sync()
            let script = try OwnersScript(world.centre)
            let file = try DatabaseQueue(path: world.folder.path("A.db"))
            let way = InterruptedWay(hub: world.hub) { page in
                if page.isCaughtUp {
                    let broken = try await file.read { try String.fetchOne($0, sql: Self.broken) }
                    #expect(broken == "0")
                }
                try script.next()
            }
            let replica = try await Replica.clone(
                into: file, from: .direct(way), tables: ["pair_left", "pair_right"],
                options: World.options(1))
            let device = Device(name: "A", file: file, replica: replica)
            // Each sync receives at least one page.
            while !script.isOver { try await replica.sync() }
            try await replica.sync()
            #expect(try await world.differences(device) == [])
        }
    }
}

/// A connection to a hub that does something after each page, before the replica reads the next
/// one.
private struct InterruptedWay: HubConnection {
    let hub: Hub
    let behind: @Sendable (Page) async throws -> Void

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        try await hub.exchange(request) { (frame: Frame) async throws in
            try await receive(frame)
            if case .page(let page) = frame { try await behind(page) }
        }
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }

    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}
