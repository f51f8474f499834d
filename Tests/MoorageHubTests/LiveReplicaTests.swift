import Moorage
import MoorageHub
import TestSupport
import Testing

@Suite(.ownThreads) struct `A replica with a live stream` {
    @Test func `gets what others commit, and sends what is committed here, at once`() async throws {
        let bench = try await LiveBench()
        let (a, b) = (try await LiveReplica(bench.hub), try await LiveReplica(bench.hub))
        await a.replica.start()
        await b.replica.start()
        try await eventually("both are live") { a.isLive && b.isLive }
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'central')")
        try await eventually("the owner's commit came") {
            let (ours, theirs) = try await (a.notes(), b.notes())
            return ours[1] == "central" && theirs[1] == "central"
        }
        for number in 2...20 {
            let device = number % 2 == 0 ? a : b
            try await device.write("INSERT INTO note VALUES (\(number), NULL, 'n\(number)')")
        }
        try await eventually("all of it is everywhere") {
            let (ours, theirs) = try await (a.notes(), b.notes())
            return try ours.count == 20 && theirs.count == 20 && bench.notes().count == 20
        }
        try await eventually("nothing is left to send") {
            a.replica.status.isCaughtUp && b.replica.status.isCaughtUp
        }
        #expect(a.replica.status.lastError == nil)
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
        let device = try await LiveReplica(bench.hub)
        await device.replica.start()
        try await eventually("it is live") { device.isLive }
        device.replica.isInFront = false
        try await eventually("it is not") {
            !device.isLive && bench.hub.liveFigures.streams == 0
        }
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'meanwhile')")
        device.replica.isInFront = true
        try await eventually("it is again, with what came") {
            let notes = try await device.notes()
            return device.isLive && notes[1] == "meanwhile"
        }
        await device.replica.stop()
        #expect(device.way.underWay.value == 0)
    }

    @Test(arguments: [0, 1])
    func `goes on by interval where no answer can be kept open`(way: Int) async throws {
        let bench = try await LiveBench()
        let device = try await LiveReplica(bench.hub) { $0.pullInterval = .milliseconds(20) }
        device.way.fault.value = way == 0 ? .noLive : .unknown
        await device.replica.start()
        for number in 1...3 {
            try bench.sql("INSERT INTO note VALUES (\(number), NULL, 'n')")
            try await eventually("pull \(number) came") { try await device.notes().count == number }
        }
        try await device.write("INSERT INTO note VALUES (9, NULL, 'mine')")
        try await eventually("the push is there") { try bench.notes()[9] == "mine" }
        #expect(!device.isLive)
        if way == 1 { #expect(device.way.live.value == 1) }
        await device.replica.stop()
    }

    @Test func `goes on after a sync of the app's own moved its cursor`() async throws {
        let bench = try await LiveBench()
        let device = try await LiveReplica(bench.hub)
        await device.replica.start()
        try await eventually("it is live") { device.isLive }
        for number in 1...20 {
            try bench.sql("INSERT INTO note VALUES (\(number), NULL, 'n')")
            if number % 3 == 0 { try await device.replica.sync() }
        }
        try await eventually("all of it came") { try await device.notes().count == 20 }
        try bench.sql("INSERT INTO note VALUES (21, NULL, 'n')")
        try await eventually("and it goes on") { try await device.notes().count == 21 }
        await device.replica.stop()
    }
}
