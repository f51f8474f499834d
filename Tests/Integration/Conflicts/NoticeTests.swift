import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `What a hub has to report` {
    private static let schema = [
        """
        CREATE TABLE item (
          id INTEGER NOT NULL PRIMARY KEY, amount INTEGER CHECK (amount >= 0))
        """,
        "INSERT INTO item VALUES (1, 1)",
    ]
    private static let local = "CREATE TABLE item (id INTEGER PRIMARY KEY, amount INTEGER)"

    private static func run(
        _ kind: CentreKind, _ test: @escaping @Sendable (World, Device) async throws -> Void
    ) async throws {
        var configuration = HubConfiguration()
        var news = NewsPolicy()
        news.interval = .milliseconds(20)
        configuration.news = news
        try await World.run(kind, schema: schema, configuration: configuration) { world in
            let device = try await world.open("A", schema: local, tables: [.table("item")])
            try await device.replica.sync()
            try await test(world, device)
        }
    }

    private static func read(
        _ world: World, _ holder: String, without known: [HubNotice] = []
    ) async throws -> [HubNotice]? {
        try await world.hub.conflictNotices(
            for: holder, without: Set(known.map(\.id)), limit: 100)?.notices
    }

    @Test(arguments: CentreKind.available)
    func `of its log is read by one process, and once`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, device in
            #expect(try await Self.read(world, "one") == [])
            try device.execute("INSERT INTO item VALUES (2, -5)")
            try await device.replica.sync()
            let notices = try #require(try await Self.read(world, "one"))
            #expect(notices.map(\.kind) == [.refused] && notices.map(\.reason) == ["check"])
            #expect(try await Self.read(world, "two") == nil)
            let time = try #require(notices.first?.time)
            try await world.hub.passedOn(upTo: time, by: "one")
            #expect(try await Self.read(world, "one", without: notices) == [])
            try await world.hub.passedOn(upTo: time + 200_000, by: "one")
            #expect(try await Self.read(world, "one") == [])
            try await world.hub.endNotices(of: "one")
            #expect(try await Self.read(world, "two") == [])
        }
    }

    @Test(arguments: CentreKind.available)
    func `to a device that is away is a commit of any program`(kind: CentreKind) async throws {
        try await Self.run(kind) { world, device in
            let seen = Locked<[HubNotice.Kind]>([])
            let notices = world.hub.news
            let listening = Task {
                for await notice in notices { seen.withLock { $0.append(notice.kind) } }
            }
            defer { listening.cancel() }
            try device.execute("INSERT INTO item VALUES (2, 5)")
            try await device.replica.sync()
            try await Task.sleep(for: .milliseconds(300))
            #expect(seen.withLock { $0 } == [], "it sent that itself")
            try world.centre.execute("INSERT INTO item VALUES (3, 5)")
            try await eventually("it has news") { seen.withLock { $0 } == [.news] }
        }
    }
}
