import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import TestSupport
import Testing

@testable import Moorage

@Suite(.ownThreads) final class `Rows that know how fresh they are` {
    private struct Customer: Codable, FetchableRecord, GRDB.TableRecord, Equatable {
        static let databaseTableName = "customer"
        let id: String
        let name: String
    }

    private let hub = Shop.hub()
    private let clock = ManualClock()
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("fresh-\(UUID().uuidString).sqlite").path
    private let pool: DatabasePool
    private let replica: Replica

    init() async throws {
        pool = try DatabasePool(path: path)
        try await pool.write { try $0.execute(sql: Shop.sql) }
        replica = try await Replica(
            database: pool, hub: .direct(hub), tables: Shop.tables(), clock: clock)
    }

    deinit {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    /// Follows the names of the customers, and keeps each element.
    private final class Listener: Sendable {
        let seen = Locked<[(names: [String], freshness: Freshness)]>([])
        private let task = Locked<Task<Void, any Error>?>(nil)

        init(_ replica: Replica, within limit: Duration = .seconds(5)) {
            let values = replica.values(Customer.order(Column("id")), within: limit)
            task.withLock {
                $0 = Task { [seen] in
                    for try await customers in values {
                        let names = customers.value.map(\.name)
                        seen.withLock { $0.append((names, customers.freshness)) }
                    }
                }
            }
        }

        var last: (names: [String], freshness: Freshness)? { seen.withLock { $0.last } }

        func cancel() async {
            let task = task.withLock { $0 }
            task?.cancel()
            _ = await task?.result
        }
    }

    private func breakHub(_ code: HubError.Code = .unreachable) {
        hub.onAnswer = { _ in throw HubError(code, "no network") }
    }

    private func isFresh(_ freshness: Freshness?) -> Bool {
        if case .fresh = freshness { true } else { false }
    }

    @Test func `come from the file first, then from the hub`() async throws {
        try await replica.sync()
        hub.put("customer", [.text("c"), .text("c@x"), .text("Carl"), .null])
        try await pool.write { try $0.execute(sql: "UPDATE line SET quantity = 2") }
        let listener = Listener(replica)
        try await eventually("the hub's rows are here") {
            listener.last?.names == ["Anna", "Bert", "Carl"] && isFresh(listener.last?.freshness)
        }
        let first = try #require(listener.seen.withLock { $0.first })
        #expect(first.names == ["Anna", "Bert"] && first.freshness == .local)
        #expect(replica.status.freshAsOf != nil)
        await listener.cancel()
        #expect(clock.sleeperCount == 0)
    }

    @Test func `never say that older rows are the hub's`() async throws {
        try await replica.sync()
        let listener = Listener(replica)
        var numbers: [Date: Int] = [:]
        for number in 1...20 {
            clock.advance(.seconds(1))
            hub.put("customer", [.text("c"), .text("c@x"), .text("Carl \(number)"), .null])
            try await replica.sync()
            numbers[try #require(replica.status.freshAsOf)] = number
            try await eventually("number \(number) is here") {
                listener.last?.names.last == "Carl \(number)" && isFresh(listener.last?.freshness)
            }
        }
        #expect(numbers.count == 20)
        for element in listener.seen.withLock({ $0 }) {
            guard case .fresh(let time) = element.freshness else { continue }
            let number = element.names.last.flatMap { Int($0.dropFirst(5)) } ?? 0
            #expect(number >= numbers[time] ?? 0)
        }
        await listener.cancel()
    }

    @Test func `what ends the reading of rows ends them`() async throws {
        try await replica.sync()
        let listener = Listener(replica)
        try await eventually("they are fresh") { isFresh(listener.last?.freshness) }
        try pool.close()
        await #expect(throws: (any Error).self) {
            let values = replica.values(Customer.order(Column("id")), within: .seconds(1))
            for try await _ in values {}
        }
        await listener.cancel()
    }

    @Test func `show one's own write at once, and as fresh when the hub has it`() async throws {
        try await replica.sync()
        let listener = Listener(replica)
        try await eventually("they are fresh") { isFresh(listener.last?.freshness) }
        try await pool.write {
            try $0.execute(sql: "UPDATE customer SET name = 'Ann' WHERE id = 'a'")
        }
        try await eventually("the write is shown") {
            listener.last?.names == ["Ann", "Bert"] && listener.last?.freshness == .local
        }
        try await replica.sync()
        try await eventually("the hub has it") { isFresh(listener.last?.freshness) }
        #expect(listener.last?.names == ["Ann", "Bert"])
        await listener.cancel()
    }

    @Test func `say why they may be old`() async throws {
        try await replica.sync()
        breakHub()
        let listener = Listener(replica)
        try await eventually("they are offline") {
            listener.last?.freshness == .stale(.offline(since: replica.status.failingSince))
                && replica.status.failingSince != nil
        }
        #expect(listener.last?.names == ["Anna", "Bert"])
        breakHub(.unauthorized)
        await #expect(throws: ReplicaError.self) { try await replica.sync() }
        try await eventually("they are signed out") {
            listener.last?.freshness == .stale(.signedOut)
        }
        hub.onAnswer = { _ in }
        try await replica.sync()
        try await eventually("they are fresh") { isFresh(listener.last?.freshness) }
        await listener.cancel()
    }

    @Test func `what waits after a late answer is new`() async throws {
        try await replica.sync()
        breakHub()
        let listener = Listener(replica, within: .seconds(1))
        try await eventually("the replica waits") { clock.sleeperCount == 2 }
        clock.advance(.seconds(1))
        try await eventually("the question is over") { clock.sleeperCount == 0 }
        hub.onAnswer = { _ in }
        try await replica.sync()
        try await eventually("they are fresh") { isFresh(listener.last?.freshness) }
        try await pool.write { try $0.execute(sql: "DELETE FROM line") }
        try await eventually("the write waits") { listener.last?.freshness == .local }
        await listener.cancel()
    }

    @Test func `the reason is the one that a person has to know first`() {
        var status = ReplicaStatus()
        var age = FileAge()
        func freshness(_ asked: AskedHub, isAnswered: Bool = false) -> Freshness {
            Freshness(status, age, asked: asked, isAnswered: isAnswered)
        }
        let late = ReplicaError(.notCaughtUp, "late", recovery: .retry(after: nil))
        let other = ReplicaError(.hub(.differentUser), "another user", recovery: .choose)
        let time = Date(timeIntervalSince1970: 7)
        #expect(freshness(.waiting) == .local)
        #expect(freshness(.answered) == .local)
        #expect(freshness(.failed(with: late)) == .stale(.deadline))
        #expect(freshness(.failed(with: CancellationError())) == .stale(.deadline))
        #expect(freshness(.failed(with: other)) == .stale(.failed(.hub(.differentUser))))
        status.hasPulled = true
        #expect(freshness(.waiting) == .local, "an earlier version noted no time")
        age.caughtUp = 7_000
        #expect(freshness(.waiting) == .fresh(asOf: time))
        #expect(freshness(.failed(with: late)) == .stale(.deadline), "that was before the question")
        #expect(freshness(.failed(with: late), isAnswered: true) == .fresh(asOf: time))
        age.hasUnanswered = true
        #expect(freshness(.answered, isAnswered: true) == .local)
        status.phase = .updateRequired
        #expect(freshness(.answered) == .stale(.updateRequired))
        age.isSuspended = true
        #expect(freshness(.answered) == .stale(.suspended))
    }

    @Test func `a table that is suspended does not make others stale`() async throws {
        try await replica.sync()
        hub.suspended = [SuspendedTable(name: "line", reason: "It is being changed.")]
        try await replica.sync()
        try await pool.write { try $0.execute(sql: "UPDATE line SET quantity = 2") }
        let listener = Listener(replica, within: .seconds(1))
        try await eventually("they are fresh") { isFresh(listener.last?.freshness) }
        try await eventually("the change is counted") { replica.status.pendingCount > 0 }
        let lines = replica.values(of: ["line"], within: .seconds(1)) { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM line") ?? 0
        }
        for try await element in lines {
            #expect(element.freshness == .stale(.suspended))
            break
        }
        await listener.cancel()
    }

    @Test func `a file of an earlier version has the device's time alone`() {
        let both = CaughtUpTime(device: 7, hub: 9)
        #expect(both.text == "7 9" && CaughtUpTime(both.text) == both)
        #expect(CaughtUpTime("7") == CaughtUpTime(device: 7, hub: nil))
        #expect(["", " ", "x", "7 8 9"].compactMap(CaughtUpTime.init) == [])
    }

    @Test func `end with their task, and leave nothing behind`() async throws {
        breakHub()
        let listener = Listener(replica)
        try await eventually("there is an element") { listener.last != nil }
        await listener.cancel()
        let count = listener.seen.withLock { $0.count }
        try await pool.write {
            try $0.execute(sql: "INSERT INTO customer VALUES ('z', 'z@x', 'Zoe', NULL)")
        }
        try await Task.sleep(for: .milliseconds(30))
        #expect(listener.seen.withLock { $0.count } == count)
        try await eventually("nothing sleeps") { clock.sleeperCount == 0 }
    }

    @Test func `throw what reading throws`() async throws {
        let values = replica.values(of: ["customer"], within: .seconds(1)) { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM nowhere") ?? 0
        }
        await #expect(throws: DatabaseError.self) { for try await _ in values {} }
        try await eventually("nothing sleeps") { clock.sleeperCount == 0 }
    }

    @Test func `a file that is locked for a moment does not end them`() async throws {
        // A journal that readers wait for.
        let file = path + "-queue"
        defer { try? FileManager.default.removeItem(atPath: file) }
        var configuration = Configuration()
        configuration.busyMode = .immediateError
        let queue = try DatabaseQueue(path: file, configuration: configuration)
        try await queue.write { try $0.execute(sql: Shop.sql) }
        let other = try await Replica(
            database: queue, hub: .direct(hub), tables: Shop.tables(), clock: clock)
        try await other.sync()
        let locking = try DatabaseQueue(path: file)
        try await locking.writeWithoutTransaction {
            try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT")
        }
        #expect(throws: DatabaseError.self) {
            try queue.read { try Customer.fetchCount($0) }
        }
        let listener = Listener(other)
        try await Task.sleep(for: .milliseconds(150))
        #expect(listener.last == nil)
        try locking.close()
        try await eventually("the rows are here") { listener.last?.names == ["Anna", "Bert"] }
        try await queue.write {
            try $0.execute(sql: "UPDATE customer SET name = 'Ann' WHERE id = 'a'")
        }
        try await eventually("the write is shown") { listener.last?.names.first == "Ann" }
        await listener.cancel()
    }
}
