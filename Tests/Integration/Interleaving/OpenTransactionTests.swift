import GRDB
import Moorage
import MoorageHub
import MoorageWire
import TestSupport
import Testing

/// Transactions of the owner's are open while a replica reads in the smallest pages: each time that it
/// caught up it has whole transactions, and nothing is missed (docs/design.md, 5.2).
///
/// `Concurrency` tortures the same promise at night.
@Suite(.ownThreads) struct `Transactions that are open beside a replica` {
    /// Pairs of which one row is missing or another than its fellow.
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
                // What is committed, and no more, is here.
                #expect(try await world.differences(device) == [], "\(step)")
            }
        }
    }

    @Test(arguments: CentreKind.available)
    func `are seen whole where each statement comes between two pages`(
        kind: CentreKind
    ) async throws {
        try await World.run(kind, schema: OwnersScript.schema) { world in
            // The first of all exchanges writes at the hub, which waits for an open transaction in a file.
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
            // Each sync has a page at least.
            while !script.isOver { try await replica.sync() }
            try await replica.sync()
            #expect(try await world.differences(device) == [])
        }
    }
}

/// The way to a hub on which something happens behind each page, before the next one is read.
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
