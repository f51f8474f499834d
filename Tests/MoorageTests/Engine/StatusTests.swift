import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

/// What an app can rely on, whether its replica runs or not.
@Suite(.ownThreads) final class `A replica's status` {
    private let hub = Shop.hub()
    private let clock = ManualClock()
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("status-\(UUID().uuidString).sqlite").path
    private let pool: DatabasePool
    private let replica: Replica

    init() async throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        pool = try DatabasePool(path: path, configuration: configuration)
        try await pool.write { try $0.execute(sql: Shop.sql) }
        replica = try await Replica(
            database: pool, hub: .direct(hub), tables: Shop.tables(), clock: clock)
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private func edit() async throws {
        try await pool.write { try $0.execute(sql: "UPDATE line SET quantity = quantity + 1") }
    }

    private func breakHub() {
        hub.onAnswer = { _ in throw HubError(.unreachable, "no network") }
    }

    @Test func `is no longer caught up once a commit returns, and counts it`() async throws {
        try await replica.sync()
        #expect(replica.status.isCaughtUp)
        try await edit()
        #expect(!replica.status.isCaughtUp)
        try await eventually("the edit is counted") { replica.status.pendingCount == 1 }
        try await replica.sync()
        #expect(replica.status.isCaughtUp)
        #expect(replica.status.pendingCount == 0)
    }

    @Test func `a commit during a sync leaves it behind`() async throws {
        try await replica.sync()
        let pool = pool
        hub.onAnswer = { _ in
            try pool.write { try $0.execute(sql: "UPDATE line SET quantity = 77") }
        }
        #expect(try await replica.sync().isCaughtUp)
        #expect(!replica.status.isCaughtUp)
        #expect(replica.status.pendingCount == 1)
    }

    @Test func `says since when exchanges fail`() async throws {
        try await replica.sync()
        #expect(replica.status.failingSince == nil)
        breakHub()
        let began = clock.now()
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        clock.advance(.seconds(60))
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(replica.status.failingSince == began)
        #expect(replica.status.headline == .offline(since: began))
        hub.onAnswer = { _ in }
        try await replica.sync()
        #expect(replica.status.failingSince == nil)
        #expect(replica.status.headline == .upToDate)
    }

    @Test func `says what ended the loop, also if no exchange failed`() async throws {
        try await replica.sync()
        await replica.start()
        try await eventually("the loop waits") { replica.status.phase == .idle }
        try pool.close()
        try await eventually("the loop is over") {
            clock.advance(.seconds(60))
            return replica.status.phase == .stopped
        }
        #expect(replica.status.lastError?.code == .databaseClosed)
        #expect(replica.status.headline == .attention(count: 1))
    }

    @Test func `is followed on the main actor, until nobody needs it`() async throws {
        weak var released: ReplicaState?
        do {
            let state = await ReplicaState(replica)
            released = state
            breakHub()
            await #expect(throws: ReplicaError.self) { try await replica.sync() }
            try await eventually("the state follows") {
                let seen = await state.status
                return seen.failingSince != nil
                    && seen.headline == .offline(since: seen.failingSince)
            }
        }
        try await eventually("the state is released") { released == nil }
    }

    @Test func `counts what waits while the hub cannot be reached`() async throws {
        try await replica.sync()
        breakHub()
        try await edit()
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        #expect(replica.status.pendingCount == 1)
        #expect(!replica.status.isCaughtUp)
    }

    @Test func `lists and counts are read while the app writes`() async throws {
        try await replica.sync()
        try await edit()
        let isWriting = Locked(false)
        let goesOn = DispatchSemaphore(value: 0)
        Thread.detachNewThread { [pool] in
            try? pool.write { _ in
                isWriting.withLock { $0 = true }
                goesOn.wait()
            }
        }
        try await eventually("the app writes") { isWriting.withLock { $0 } }
        let counts = Locked<[Int]>([])
        let reading = Task { [replica] in
            let found = [
                try await replica.pendingChanges.fetch().count,
                try await replica.refusedChanges.fetch().count,
                try await replica.overruledChanges.fetch().count,
                try await replica.withheldValues.fetch().count,
            ]
            try await replica.refreshStatus()
            counts.withLock { $0 = found }
        }
        defer { goesOn.signal() }
        try await eventually("the lists are read") { counts.withLock { $0 } == [1, 0, 0, 0] }
        try await reading.value
        #expect(replica.status.pendingCount == 1)
    }

    /// What the app's screens show: the number of rows, each time it changes.
    private func watch(
        _ table: String
    ) async throws -> (Locked<[Int]>, AnyDatabaseCancellable) {
        let counts = Locked<[Int]>([])
        let observation = ValueObservation.tracking {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0
        }.start(in: pool, scheduling: .async(onQueue: .global())) { error in
            Issue.record(error)
        } onChange: { count in
            counts.withLock { $0.append(count) }
        }
        try await eventually("the observer has looked") { counts.withLock { !$0.isEmpty } }
        return (counts, observation)
    }

    private func writeInAnotherProcess(_ sql: String) async throws {
        let other = try DatabaseQueue(path: path)
        try await other.write { try $0.execute(sql: sql) }
    }

    @Test func `commits of other processes reach the app's observers`() async throws {
        let running = Task { [replica] in try await replica.run() }
        try await replica.waitUntilCaughtUp()
        let (counts, observation) = try await watch("customer")
        // The replica has to know the file's version from before the commit.
        for _ in 0..<2 {
            try await clock.sleeping(2)
            clock.advance(.seconds(1))
        }
        try await clock.sleeping(2)
        try await writeInAnotherProcess(
            "INSERT INTO customer VALUES ('o', 'o@x', 'Other', NULL)")
        try await eventually("the observer has looked again") {
            clock.advance(.seconds(1))
            return counts.withLock { $0.last } == 3
        }
        try await eventually("the push is there") {
            clock.advance(.milliseconds(250))
            return hub.row("customer", .text("o")) != nil
        }
        observation.cancel()
        running.cancel()
        _ = await running.result
    }

    @Test func `commits of other processes while it did not run reach them, too`() async throws {
        // The replica writes nothing to this table itself.
        try await pool.write { try $0.execute(sql: "CREATE TABLE draft (text TEXT)") }
        await replica.start()
        try await replica.waitUntilCaughtUp()
        let (counts, observation) = try await watch("draft")
        try await clock.sleeping(2)
        await replica.stop()
        try await writeInAnotherProcess("INSERT INTO draft VALUES ('a')")
        await replica.start()
        try await eventually("the observer has looked again") {
            clock.advance(.seconds(1))
            return counts.withLock { $0.last } == 1
        }
        observation.cancel()
        await replica.stop()
    }

    // MARK: Catching up

    @Test func `catching up pushes what was committed and pulls what there was`() async throws {
        try await replica.sync()
        try await edit()
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        try await replica.catchUp(within: .seconds(10))
        #expect(hub.row("line", .integer(1), .integer(1))?[2] == .integer(11))
        let count = try await pool.read {
            try Int.fetchOne($0, sql: "SELECT count(*) FROM customer")
        }
        #expect(count == 3)
        #expect(clock.sleeperCount == 0)
    }

    @Test func `catching up tries again after a failure`() async throws {
        try await edit()
        breakHub()
        let catchUp = Task { [replica] in try await replica.catchUp(within: .seconds(60)) }
        try await eventually("an exchange failed") { hub.requestCount == 1 }
        hub.onAnswer = { _ in }
        try await clock.sleeping(2)
        clock.advance(.seconds(5))
        try await catchUp.value
        #expect(replica.status.isCaughtUp)
    }

    @Test func `catching up says at its deadline what is missing`() async throws {
        try await replica.sync()
        try await edit()
        breakHub()
        let catchUp = Task { [replica] in try await replica.catchUp(within: .seconds(60)) }
        try await eventually("an exchange failed") { hub.requestCount == 2 }
        try await clock.sleeping(2)
        clock.advance(.seconds(61))
        let error = await #expect(throws: ReplicaError.self) { try await catchUp.value }
        #expect(error?.code == .notCaughtUp)
        #expect(error?.message.contains("1 local change is not at the server") == true)
        #expect(error?.message.contains("no network") == true)
        #expect((error?.cause as? ReplicaError)?.code == .hub(.unreachable))
        #expect(clock.sleeperCount == 0)
    }

    @Test func `what it says at the deadline fits what is missing`() {
        func message(pending: Int, sendable: Int, last: ReplicaError? = nil) -> String {
            ReplicaError.notCaughtUp(
                within: .seconds(1), pending: pending, sendable: sendable, hasPulled: true,
                suspended: ["orders"], last: last
            ).message
        }
        #expect(message(pending: 1, sendable: 0).contains("Look at the replica's status"))
        #expect(message(pending: 2, sendable: 1).hasSuffix("No change is lost. Call again."))
        let last = ReplicaError(HubError(.unreachable, "no network"))
        let failed = message(pending: 1, sendable: 0, last: last)
        #expect(failed.contains("The last try failed: no network"))
        #expect(!failed.contains("No change is lost"))
    }

    // MARK: Values

    @Test func `statuses and errors are compared, and errors say what to do`() throws {
        #expect(ReplicaStatus() == ReplicaStatus())
        var status = ReplicaStatus()
        status.nextTry = Date(timeIntervalSince1970: 1_700_000_000.123)
        #expect(status != ReplicaStatus())
        let error = ReplicaError(HubError(.unauthorized, "The hub knows no such token."))
        #expect(error == ReplicaError(HubError(.unauthorized, "The hub knows no such token.")))
        #expect(error != ReplicaError(HubError(.unauthorized, "Another one.")))
        #expect(error.localizedDescription == "The hub knows no such token.")
        #expect(error.recoverySuggestion == "Sign in again.")
    }

    @Test func `codes are printed as their text`() {
        #expect("\(ReplicaError.Code.fileNotEmpty)" == "fileNotEmpty")
        #expect("\(HubError.Code.unauthorized)" == "unauthorized")
        #expect("\(Refusal.Code.unique)" == "unique")
    }
}
