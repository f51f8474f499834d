import Foundation
import GRDB
import Moorage
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

/// The way to a hub, with faults of the way; and how many exchanges are under way on it.
private final class LiveWay: HubConnection {
    enum Fault: Sendable {
        case none
        /// Nothing comes any more over a live stream, and it does not end.
        case silent
        /// An answer that is to stay open cannot be had.
        case noLive
        /// The other side does not know such requests.
        case unknown
    }

    let hub: Hub
    let fault = Box(Fault.none)
    let underWay = Box(0)
    let live = Box(0)
    let plain = Box(0)

    init(_ hub: Hub) { self.hub = hub }

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws {
        underWay.change { $0 += 1 }
        defer { underWay.change { $0 -= 1 } }
        (request.isLive ? live : plain).change { $0 += 1 }
        if request.isLive {
            switch fault.value {
            case .noLive: throw HubError(.unreachable, "The way is broken.")
            case .unknown: throw HubError(.malformed, "A member that is not known.")
            case .none, .silent: break
            }
        }
        let isOpen = Box(false)
        try await hub.exchange(request) { [fault] frame in
            if isOpen.value, fault.value == .silent {
                try await Task.sleep(for: .seconds(3_600))
            }
            if request.isLive, case .page(let page) = frame, page.isCaughtUp {
                isOpen.value = true
            }
            try await receive(frame)
        }
    }

    func schema() async throws -> SchemaAnswer { try await hub.schema() }
    func compare(_ request: CompareRequest) async throws -> CompareAnswer {
        try await hub.compare(request)
    }
}

@Suite(.ownThreads) struct `A replica with a live stream` {
    private struct Device: Sendable {
        let replica: Replica
        let file: DatabaseQueue
        let way: LiveWay

        init(_ hub: Hub, _ change: (inout ReplicaOptions) -> Void = { _ in }) async throws {
            way = LiveWay(hub)
            file = try DatabaseQueue()
            var options = ReplicaOptions()
            // Far away, so that nothing comes by interval, unless a test says otherwise.
            options.pullInterval = .seconds(3_600)
            options.pushDelay = .milliseconds(1)
            options.firstRetryDelay = .milliseconds(5)
            options.maximumRetryDelay = .milliseconds(20)
            change(&options)
            replica = try await Replica.clone(
                into: file, from: .direct(way), tables: ["note"], options: options)
        }

        func notes() async throws -> [Int64: String] {
            try await file.read { db in
                let rows = try Row.fetchAll(db, sql: "SELECT id, text FROM note")
                return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
            }
        }

        func write(_ sql: String) async throws {
            try await file.write { try $0.execute(sql: sql) }
        }

        var isLive: Bool { replica.currentStatus.isLive }
    }

    @Test func `gets what others commit, and sends what is committed here, at once`() async throws {
        let bench = try await LiveBench()
        let (a, b) = (try await Device(bench.hub), try await Device(bench.hub))
        await a.replica.start()
        await b.replica.start()
        try await bench.until("both are live") { a.isLive && b.isLive }
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'central')")
        try await bench.until("the owner's commit") {
            let (ours, theirs) = try await (a.notes(), b.notes())
            return ours[1] == "central" && theirs[1] == "central"
        }
        for number in 2...20 {
            let device = number % 2 == 0 ? a : b
            try await device.write("INSERT INTO note VALUES (\(number), NULL, 'n\(number)')")
        }
        try await bench.until("all of it everywhere") {
            let (ours, theirs) = try await (a.notes(), b.notes())
            return try ours.count == 20 && theirs.count == 20 && bench.notes().count == 20
        }
        try await bench.until("nothing is left to send") {
            a.replica.currentStatus.isCaughtUp && b.replica.currentStatus.isCaughtUp
        }
        #expect(a.replica.currentStatus.lastError == nil)
        for device in [a, b] { #expect(try await device.replica.verify().isEmpty) }
        await a.replica.stop()
        await b.replica.stop()
        // Nothing of it is left, on either side.
        #expect(a.way.underWay.value == 0 && b.way.underWay.value == 0)
        #expect(bench.hub.liveFigures.streams == 0)
        #expect(!a.isLive && !b.isLive)
    }

    @Test func `has one while its app is in front, and none while it is not`() async throws {
        let bench = try await LiveBench()
        let device = try await Device(bench.hub)
        await device.replica.start()
        try await bench.until("it is live") { device.isLive }
        device.replica.isInFront = false
        try await bench.until("it is not") {
            !device.isLive && bench.hub.liveFigures.streams == 0
        }
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'meanwhile')")
        device.replica.isInFront = true
        try await bench.until("it is again, with what came") {
            let notes = try await device.notes()
            return device.isLive && notes[1] == "meanwhile"
        }
        await device.replica.stop()
        #expect(device.way.underWay.value == 0)
    }

    @Test func `notices that the other side went silent, and connects again`() async throws {
        let bench = try await LiveBench { $0.heartbeat = .milliseconds(100) }
        let device = try await Device(bench.hub)
        await device.replica.start()
        try await bench.until("it is live") { device.isLive }
        let before = device.way.live.value
        device.way.fault.value = .silent
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
        try await bench.until("it has come all the same") { try await device.notes()[1] == "one" }
        device.way.fault.value = .none
        try await bench.until("it is live again") { device.isLive }
        #expect(device.way.live.value > before)
        await device.replica.stop()
        #expect(device.way.underWay.value == 0)
    }

    @Test(arguments: [0, 1])
    func `goes on by interval where no answer can be kept open`(way: Int) async throws {
        let bench = try await LiveBench()
        let device = try await Device(bench.hub) { $0.pullInterval = .milliseconds(20) }
        device.way.fault.value = way == 0 ? .noLive : .unknown
        await device.replica.start()
        for number in 1...3 {
            try bench.sql("INSERT INTO note VALUES (\(number), NULL, 'n')")
            try await bench.until("pull \(number)") { try await device.notes().count == number }
        }
        try await device.write("INSERT INTO note VALUES (9, NULL, 'mine')")
        try await bench.until("the push") { try bench.notes()[9] == "mine" }
        #expect(!device.isLive)
        if way == 1 { #expect(device.way.live.value == 1) }
        await device.replica.stop()
    }

    @Test func `goes on after a sync of the app's own moved its cursor`() async throws {
        let bench = try await LiveBench()
        let device = try await Device(bench.hub)
        await device.replica.start()
        try await bench.until("it is live") { device.isLive }
        for number in 1...20 {
            try bench.sql("INSERT INTO note VALUES (\(number), NULL, 'n')")
            if number % 3 == 0 { try await device.replica.sync() }
        }
        try await bench.until("all of it") { try await device.notes().count == 20 }
        try bench.sql("INSERT INTO note VALUES (21, NULL, 'n')")
        try await bench.until("and it goes on") { try await device.notes().count == 21 }
        await device.replica.stop()
    }

    @Test func `is told to stay away, and comes back`() async throws {
        let bench = try await LiveBench { $0.maximumLife = .milliseconds(1_100) }
        let device = try await Device(bench.hub)
        await device.replica.start()
        try await bench.until("it is live") { device.isLive }
        let before = device.way.live.value
        try await bench.until("its time was over") { device.way.live.value > before }
        try await bench.until("it is live again") { device.isLive }
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
        try await bench.until("it goes on") { try await device.notes()[1] == "one" }
        #expect(device.replica.currentStatus.lastError == nil)
        await device.replica.stop()
    }
}
