import MoorageCore
import MoorageSQLite
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `Replicas that are away` {
    /// A hub, and the replicas that it named.
    private struct Bench {
        let live: LiveBench
        let named = Locked<[String]>([])
        private let task: Task<Void, Never>
        var hub: Hub { live.hub }

        init(scoped: Bool = false, maximum: Int = 100) async throws {
            var policy = NewsPolicy()
            policy.interval = .milliseconds(5)
            policy.maximumReplicas = maximum
            live = try await LiveBench(scoped: scoped, news: policy)
            let notices = live.hub.news
            task = Task { [named] in
                for await notice in notices { named.withLock { $0.append(notice.replica) } }
            }
        }

        /// Exchanges to the end.
        func exchange(
            _ number: Int, for user: String? = nil, batch: Batch? = nil
        ) async throws {
            let request = LiveBench.request(number, batch: batch).ending
            let user = user.map { Principal(subject: $0, claims: ["sub": [$0]]) }
            let receive: @Sendable (Frame) async throws -> Void = { _ in }
            try await hub.exchange(request, for: user, receive: receive)
        }

        func note(_ id: Int, of owner: String? = nil) throws {
            let owner = owner.map { "'\($0)'" } ?? "NULL"
            try live.sql("INSERT INTO note VALUES (\(id), \(owner), 'n')")
        }

        /// What was named, after as long as a wrong implementation would need to name more.
        func namedSoon() async throws -> [String] {
            try await Task.sleep(for: .milliseconds(100))
            return named.withLock { $0 }
        }

        func eventuallyNamed(_ numbers: [Int]) async throws {
            let replicas = numbers.map(LiveBench.replica)
            try await eventually("\(numbers) were named") {
                named.withLock { $0.sorted() } == replicas.sorted()
            }
        }
    }

    @Test func `are named when there is something for them, and once`() async throws {
        let bench = try await Bench()
        try await bench.exchange(1)
        #expect(try await bench.namedSoon() == [])
        try bench.note(1)
        try await bench.eventuallyNamed([1])
        try bench.note(2)
        #expect(try await bench.namedSoon().count == 1)
        try await bench.exchange(1)
        try bench.note(3)
        try await bench.eventuallyNamed([1, 1])
    }

    @Test func `are not named for what they sent, and others are`() async throws {
        let bench = try await Bench()
        try await bench.exchange(1)
        try await bench.exchange(2, batch: LiveBench.insert(1, "mine", by: 2))
        try await bench.eventuallyNamed([1])
        #expect(try await bench.namedSoon().count == 1)
    }

    @Test func `are named after their live stream, and not while it lasts`() async throws {
        let bench = try await Bench()
        let device = LiveDevice(1)
        device.open(bench.hub)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        try bench.note(1)
        try await eventually("it has the note") { device.now.notes[1] == "n" }
        #expect(try await bench.namedSoon() == [])
        device.cancel()
        await device.finish()
        #expect(try await bench.namedSoon() == [])
        try bench.note(2)
        try await bench.eventuallyNamed([1])
    }

    @Test func `are named for a page that their connection did not take`() async throws {
        struct Gone: Error {}
        let bench = try await Bench()
        let hub = bench.hub
        let task = Task {
            let stream = try await hub.begin(LiveBench.request(1), grant: LiveGrant()) { _ in }
            try await stream?.run { if case .page = $0.frame { throw Gone() } }
        }
        try await eventually("it waits") { hub.liveFigures.waiting == 1 }
        try bench.note(1)
        await #expect(throws: Gone.self) { try await task.value }
        try await bench.eventuallyNamed([1])
    }

    @Test func `are named for an exchange that broke off`() async throws {
        struct Gone: Error {}
        let bench = try await Bench()
        try await bench.exchange(1)
        try bench.live.database.execute("UPDATE holder SET owner = 'x'")
        let receive: @Sendable (Frame) async throws -> Void = { _ in throw Gone() }
        await #expect(throws: Gone.self) {
            try await bench.hub.exchange(
                LiveBench.request(1).ending, for: nil, receive: receive)
        }
        #expect(bench.hub.absent?.count == 1)
        try bench.note(1)
        try await bench.eventuallyNamed([1])
    }

    @Test func `are not those that exchange beside their stream`() async throws {
        let bench = try await Bench()
        let device = LiveDevice(1)
        device.open(bench.hub)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        try await bench.exchange(1)
        #expect(bench.hub.absent?.count == 0)
        device.cancel()
        await device.finish()
        try await eventually("it is away") { bench.hub.absent?.count == 1 }
    }

    @Test func `wait while something about the hub is wrong`() async throws {
        let bench = try await Bench()
        try await bench.exchange(1)
        try bench.live.sql("UPDATE moorage_meta SET value = '99' WHERE name = 'format'")
        #expect(try await bench.namedSoon() == [])
        #expect(bench.hub.absent?.count == 1)
        try bench.live.sql("UPDATE moorage_meta SET value = '6' WHERE name = 'format'")
        try bench.note(1)
        try await bench.eventuallyNamed([1])
    }

    @Test func `are named only for what their user may see`() async throws {
        let bench = try await Bench(scoped: true)
        try await bench.exchange(1, for: "ada")
        try await bench.exchange(2, for: "bob")
        try bench.note(1, of: "bob")
        try await bench.eventuallyNamed([2])
        #expect(try await bench.namedSoon().count == 1)
        try bench.note(2, of: "ada")
        try await bench.eventuallyNamed([1, 2])
    }

    @Test func `are named when the hub has an order for them`() async throws {
        let bench = try await Bench()
        try await bench.exchange(1)
        try await eventually("it is watched") { bench.hub.absent?.count == 1 }
        _ = try await bench.hub.attach(tables: ["note"], newEpoch: true)
        try await bench.eventuallyNamed([1])
    }

    @Test func `beyond the limit are not watched`() async throws {
        let bench = try await Bench(maximum: 2)
        for number in 1...3 { try await bench.exchange(number) }
        #expect(bench.hub.absent?.count == 2)
        try bench.note(1)
        try await bench.eventuallyNamed([1, 2])
        #expect(try await bench.namedSoon().count == 2)
        #expect(bench.hub.absent?.count == 0)
    }

    @Test func `cost nothing where nobody asks for them`() async throws {
        let bench = try await LiveBench()
        try await bench.hub.exchange(LiveBench.request(1).ending) { _ in }
        #expect(bench.hub.absent == nil)
        for await notice in bench.hub.news { Issue.record("\(notice)") }
    }
}
