import MoorageCore
import MoorageHub
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

@Suite(.ownThreads) struct `A stream of changes` {
    /// What a program got from a stream.
    private struct Received: Sendable {
        var texts: [String] = []
        var caughtUp = 0
        var beats = 0
        var position = ""
        var isOver = false
        var wait: Duration?
        var error: String?
    }

    /// A stream, and what comes over it.
    private struct Following: Sendable {
        let stream: ChangeStream
        let received: Box<Received>
        let task: Task<Void, Never>

        var now: Received { received.value }
    }

    private func follow(
        _ bench: LiveBench, _ start: ChangeRequest.Start = .beginning, as user: Principal? = nil,
        life: Duration? = nil, slowly: (@Sendable () async -> Void)? = nil
    ) async throws -> Following {
        let request = ChangeRequest(from: start, limit: 2) { $0.tables }
        let stream = try await bench.hub.followChanges(for: user, request, life: life)
        let received = Box(Received())
        let task = Task {
            do {
                try await stream.run { event in
                    await slowly?()
                    received.change { received in
                        switch event {
                        case .changes(let changes, let next):
                            received.texts += changes.map(\.text)
                            received.position = next
                        case .caughtUp(let position):
                            received.caughtUp += 1
                            received.position = position
                        case .beat(let position):
                            received.beats += 1
                            received.position = position
                        case .end(let wait):
                            received.isOver = true
                            received.wait = wait
                        }
                    }
                }
            } catch { received.change { $0.error = "\(type(of: error))" } }
        }
        return Following(stream: stream, received: received, task: task)
    }

    @Test func `brings what other programs commit, and says when there is nothing more`()
        async throws
    {
        let bench = try await LiveBench()
        try bench.sql("INSERT INTO note (id) VALUES (1), (2), (3)")
        let following = try await follow(bench)
        try await eventually("it has caught up") { following.now.caughtUp == 1 }
        #expect(following.now.texts == ["insert note 1", "insert note 2", "insert note 3"])
        try bench.sql("UPDATE note SET text = 'x' WHERE id = 2; DELETE FROM note WHERE id = 1")
        try await eventually("the changes are there") { following.now.texts.count == 5 }
        #expect(following.now.texts.suffix(2) == ["update note 2", "delete note 1"])
        try await eventually("it has caught up again") { following.now.caughtUp == 2 }
        following.task.cancel()
        await following.task.value
        #expect(following.now.error == "CancellationError")
    }

    @Test func `goes on behind a position`() async throws {
        let bench = try await LiveBench()
        try bench.sql("INSERT INTO note (id) VALUES (1)")
        let first = try await follow(bench, .now)
        try await eventually("it has caught up") { first.now.caughtUp == 1 }
        #expect(first.now.texts == [])
        first.stream.end(wait: .seconds(1))
        await first.task.value
        #expect(first.now.isOver && first.now.wait == .seconds(1) && first.now.error == nil)
        try bench.sql("INSERT INTO note (id) VALUES (2)")
        let second = try await follow(bench, .after(first.now.position))
        try await eventually("it goes on") { second.now.texts == ["insert note 2"] }
        second.stream.end()
        await second.task.value
    }

    @Test func `has heartbeats with the newest position, and an end`() async throws {
        let bench = try await LiveBench {
            $0.heartbeat = .milliseconds(50)
            $0.checkInterval = .milliseconds(50)
        }
        let following = try await follow(bench, life: .seconds(1))
        try await eventually("it beats") { following.now.beats > 2 }
        await following.task.value
        #expect(following.now.isOver && following.now.wait == nil)
        #expect(following.now.caughtUp == 1 && following.now.texts.isEmpty)
        let next = try await follow(bench, .after(following.now.position), life: .zero)
        await next.task.value
        #expect(next.now.isOver && next.now.error == nil)
    }

    @Test func `ends when the user's scopes change`() async throws {
        let query = ScopeHolding.query(ScopeQuery("SELECT owner FROM holder WHERE user = :sub"))
        let bench = try await LiveBench(scoped: true, holding: query) {
            $0.checkInterval = .milliseconds(50)
        }
        try bench.sql("INSERT INTO note VALUES (1, 'ada', 'a'), (2, 'bob', 'b')")
        let following = try await follow(bench, as: Principal(subject: "ada"))
        try await eventually("it has caught up") { following.now.caughtUp == 1 }
        #expect(following.now.texts == ["insert note 1"])
        try bench.sql("INSERT INTO note VALUES (3, 'bob', 'b'), (4, 'ada', 'a')")
        try await eventually("only what is ada's comes") {
            following.now.texts == ["insert note 1", "insert note 4"]
        }
        try bench.sql("INSERT INTO holder VALUES ('ada', 'bob')")
        await following.task.value
        #expect(following.now.isOver && following.now.error == nil)
        let start = ChangeRequest.Start.after(following.now.position)
        await #expect(throws: RowProblem.expired) {
            _ = try await self.follow(bench, start, as: Principal(subject: "ada"))
        }
    }

    @Test func `is refused with a position that nobody made`() async throws {
        let bench = try await LiveBench()
        await #expect(throws: RowProblem.expired) {
            _ = try await self.follow(bench, .after("x"))
        }
    }

    /// It has a position and no queue.
    @Test func `gives a slow program as one what changed meanwhile`() async throws {
        let bench = try await LiveBench()
        let gate = Box(false)
        let following = try await follow(
            bench, .now,
            slowly: { while !gate.value { try? await Task.sleep(for: .milliseconds(2)) } })
        for number in 1...20 {
            try bench.sql("INSERT OR REPLACE INTO note VALUES (1, NULL, '\(number)')")
        }
        gate.value = true
        try await eventually("the change is there") { !following.now.texts.isEmpty }
        try await eventually("there is no more") { following.now.caughtUp > 1 }
        #expect(following.now.texts == ["insert note 1"])
        following.stream.end()
        await following.task.value
    }

    @Test func `waits while the database is away`() async throws {
        let bench = try await LiveBench()
        let following = try await follow(bench)
        try await eventually("it has caught up") { following.now.caughtUp == 1 }
        bench.fault.value = CentralError(.unavailable, "The database is away.")
        await #expect(throws: HubError.self) { _ = try await self.follow(bench) }
        try bench.sql("INSERT INTO note (id) VALUES (1)")
        bench.fault.value = nil
        try await eventually("the change is there") { following.now.texts == ["insert note 1"] }
        following.stream.end()
        await following.task.value
        #expect(following.now.error == nil)
    }

    /// After a commit, all streams want to read, and each waits for those before it.
    @Test func `has heartbeats while others read, and an end that waits for nobody`() async throws {
        let bench = try await LiveBench { $0.heartbeat = .milliseconds(20) }
        let followings = [try await follow(bench, .now), try await follow(bench, .now)]
        try await eventually("both have caught up") {
            followings.allSatisfy { $0.now.caughtUp == 1 }
        }
        let gate = Box((reading: 0, isOpen: false))
        let others = (0..<2).map { _ in
            Task {
                try await bench.hub.changeTurns.take {
                    gate.change { $0.reading += 1 }
                    while !gate.value.isOpen { try await Task.sleep(for: .milliseconds(1)) }
                }
            }
        }
        try await eventually("others read") { gate.value.reading == 2 }
        try bench.sql("INSERT INTO note (id) VALUES (1)")
        try await eventually("both wait") { bench.hub.changeTurns.waiting == 2 }
        let beats = followings.map(\.now.beats)
        try await eventually("both beat") {
            zip(followings, beats).allSatisfy { $0.now.beats > $1 + 2 }
        }
        #expect(followings.allSatisfy { $0.now.texts.isEmpty })
        followings[1].stream.end()
        gate.change { $0.isOpen = true }
        for other in others { try await other.value }
        await followings[1].task.value
        #expect(followings[1].now.isOver && followings[1].now.texts.isEmpty)
        try await eventually("the change is there") { followings[0].now.texts == ["insert note 1"] }
        followings[0].stream.end()
        await followings[0].task.value
        #expect(followings.allSatisfy { $0.now.error == nil })
    }

    @Test func `leaves places for other users`() async throws {
        let bench = try await LiveBench()
        let request = ChangeRequest(from: .now, limit: 2) { $0.tables }
        let (ada, bob) = (Principal(subject: "ada"), Principal(subject: "bob"))
        func open(_ user: Principal?) async throws -> ChangeStream {
            try await bench.hub.followChanges(for: user, request, life: nil)
        }
        var streams: [ChangeStream] = []
        for _ in 0..<LiveFeedState.mostOfUser { streams.append(try await open(ada)) }
        let refused = await #expect(throws: HubError.self) { try await open(ada) }
        #expect(refused?.code == .tooMany && refused?.retryAfter != nil)
        streams.append(try await open(bob))
        // A program without a user has what the server leaves to it.
        streams.append(try await open(nil))
        streams.removeFirst()
        streams.append(try await open(ada))
        #expect(streams.count == LiveFeedState.mostOfUser + 2)
    }

    @Test func `reads while at most so many others do`() async throws {
        let turns = ReadingTurns(atOnce: 2)
        let running = Box((now: 0, most: 0))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask {
                    try await turns.take {
                        running.change {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        try await Task.sleep(for: .milliseconds(1))
                        running.change { $0.now -= 1 }
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(running.value.most == 2 && running.value.now == 0)
        // Who is cancelled in the line leaves it.
        let gate = Box(false)
        let first = (0..<2).map { _ in
            Task {
                try await turns.take {
                    while !gate.value { try await Task.sleep(for: .milliseconds(1)) }
                }
            }
        }
        let last = Task { try await turns.take {} }
        last.cancel()
        await #expect(throws: CancellationError.self) { try await last.value }
        gate.value = true
        for task in first { try await task.value }
        try await turns.take {}
    }
}
