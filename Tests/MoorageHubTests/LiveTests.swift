import Foundation
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageWire
import TestSupport
import Testing

@Suite(.ownThreads) struct `A live stream` {
    @Test func `brings a commit of the owner's, and one that another replica pushed`() async throws
    {
        let bench = try await LiveBench()
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'first')")
        let device = LiveDevice(1)
        device.open(bench.hub)
        try await eventually("the first copy is here") { device.now.notes == [1: "first"] }
        #expect(device.now.terms == LiveTerms(heartbeat: .seconds(3_600)))
        #expect(LivePolicy().heartbeat == .seconds(10))
        try bench.sql("INSERT INTO note VALUES (2, NULL, 'second')")
        try await eventually("the owner's commit came") { device.now.notes[2] == "second" }
        try await bench.hub.exchange(
            LiveBench.request(2, batch: LiveBench.insert(3, "pushed", by: 2)).ending
        ) { _ in }
        try await eventually("the push is there") { device.now.notes[3] == "pushed" }
        try bench.sql("DELETE FROM note WHERE id = 1")
        try await eventually("the removal came") { device.now.notes[1] == nil }
        #expect(device.now.strangers == 0)
        device.cancel()
        await device.finish()
        #expect(bench.hub.liveFigures.streams == 0)
    }

    @Test func `brings commits of another program's connection to the same file`() async throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("live-\(UUID().uuidString).sqlite").path
        defer {
            for suffix in ["", "-wal", "-shm", "-journal"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        let bench = try await LiveBench(try SQLiteDatabase(path: path))
        let owner = try SQLiteDatabase(path: path)
        let device = LiveDevice(1)
        device.open(bench.hub)
        for number in 1...5 {
            try owner.execute("INSERT INTO note VALUES (\(number), NULL, 'n\(number)')")
            try await eventually("commit \(number) came") {
                device.now.notes[Int64(number)] == "n\(number)"
            }
        }
        device.cancel()
        await device.finish()
    }

    @Test func `is the pushing replica's own exchange`() async throws {
        let bench = try await LiveBench()
        let device = LiveDevice(1)
        device.open(bench.hub, batch: LiveBench.insert(7, "mine", by: 1))
        try await eventually("the answer came") { device.now.cursor.checkpoint != nil }
        try bench.sql("INSERT INTO note VALUES (8, NULL, 'theirs')")
        try await eventually("the owner's commit came") { device.now.notes[8] == "theirs" }
        #expect(try bench.notes()[7] == "mine")
        #expect(device.now.pages.filter { $0.tables.isEmpty && $0.removals.isEmpty }.count <= 1)
        device.cancel()
        await device.finish()
    }

    @Test func `costs one read and one encoding for all that stand at the same place`() async throws
    {
        let bench = try await LiveBench()
        let devices = (1...40).map { LiveDevice($0) }
        for device in devices { device.open(bench.hub) }
        // After this all of them have the same position, and wait.
        try bench.sql("INSERT INTO note VALUES (0, NULL, 'zero')")
        try await eventually("all of them have it") {
            devices.allSatisfy { $0.now.notes[0] == "zero" }
                && bench.isAtRest(devices.count)
        }
        let before = bench.hub.liveFigures
        for round in 1...5 {
            try bench.sql("INSERT INTO note VALUES (\(round), NULL, 'n')")
            try await eventually("all have round \(round), and wait") {
                devices.allSatisfy { $0.now.notes.count == round + 1 }
                    && bench.isAtRest(devices.count)
            }
        }
        let after = bench.hub.liveFigures
        // A poll at the moment of a commit may read once more; a read for each device would be 200.
        #expect((5...10).contains(after.pagesRead - before.pagesRead))
        #expect(after.pagesSent - before.pagesSent == 5 * devices.count)
        // All streams got the same frames, which keep their bytes.
        #expect(Set(devices.map { Array($0.now.sharedFrames.suffix(5)) }).count == 1)
        for device in devices { device.cancel() }
        for device in devices { await device.finish() }
        #expect(bench.hub.liveFigures.streams == 0)
    }

    @Test func `encodes a shared frame once in each encoding`() async throws {
        let bench = try await LiveBench()
        let first = Box<[SharedFrame]>([])
        let request = LiveBench.request(1)
        let stream = try #require(
            try await bench.hub.begin(request, grant: LiveGrant()) { _ in })
        let task = Task { try await stream.run { frame in first.change { $0.append(frame) } } }
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
        try await eventually("the page came") { !first.value.isEmpty }
        let frame = first.value[0]
        for encoding in WireEncoding.allCases {
            let (once, again) = (frame.encoded(in: encoding), frame.encoded(in: encoding))
            #expect(once == encoding.encoded(frame.frame))
            // The bytes were not made again: they have the same storage.
            #expect(
                once.withUnsafeBufferPointer { $0.baseAddress }
                    == again.withUnsafeBufferPointer { $0.baseAddress })
        }
        task.cancel()
        _ = await task.result
    }

    @Test func `has no queue: what comes while it is slow is one page`() async throws {
        let bench = try await LiveBench()
        let gate = Box(true)
        let device = LiveDevice(1)
        device.open(bench.hub) {
            while gate.value { try? await Task.sleep(for: .milliseconds(1)) }
        }
        try await eventually("the welcome came") { device.now.terms != nil }
        gate.value = false
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        gate.value = true
        try bench.sql("INSERT INTO note VALUES (1, NULL, '0')")
        try await eventually("the page that it is slow with came") { device.now.notes[1] == "0" }
        for number in 1...2_000 {
            try bench.sql("UPDATE note SET text = '\(number)' WHERE id = 1")
        }
        let pages = device.now.pages.count
        gate.value = false
        try await eventually("the last one came") { device.now.notes[1] == "2000" }
        #expect(device.now.pages.count == pages + 1)
        device.cancel()
        await device.finish()
    }

    @Test func `brings more than fits a page in several`() async throws {
        let bench = try await LiveBench()
        let device = LiveDevice(1)
        device.open(bench.hub, rows: 10)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        try bench.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 95)
            INSERT INTO note SELECT i, NULL, 'n' || i FROM n
            """)
        try await eventually("all rows came") {
            device.now.notes.count == 95 && device.now.pages.last?.isCaughtUp == true
        }
        #expect(device.now.pages.filter { !$0.isCaughtUp }.count >= 9)
        #expect(device.now.strangers == 0)
        device.cancel()
        await device.finish()
    }

    @Test func `says that the hub is there, and reads nothing of a database at rest`() async throws
    {
        let bench = try await LiveBench { $0.heartbeat = .milliseconds(20) }
        let device = LiveDevice(1)
        device.open(bench.hub)
        // The first poll may take longer than the first beat.
        try await eventually("the first beat came, and all is read") {
            device.now.beats > 0 && bench.isAtRest(1)
        }
        let before = bench.hub.liveFigures
        try await eventually("ten beats came") { device.now.beats > 10 }
        #expect(bench.hub.liveFigures.readings == before.readings)
        device.cancel()
        await device.finish()
    }

    @Test func `is not granted where the hub keeps none, or the request does not ask`() async throws
    {
        let bench = try await LiveBench { $0.isGranted = false }
        let device = LiveDevice(1)
        device.open(bench.hub)
        await device.finish()
        #expect(device.now.terms == nil && device.now.end == End(hasMore: false))
        let other = try await LiveBench()
        let frames = Box<[Frame]>([])
        try await other.hub.exchange(LiveBench.request(1).ending) { frame in
            frames.change { $0.append(frame) }
        }
        #expect(frames.value.last == .end(End(hasMore: false)))
    }

    @Test func `ends when its time is over`() async throws {
        let bench = try await LiveBench { $0.maximumLife = .milliseconds(30) }
        let device = LiveDevice(1)
        device.open(bench.hub)
        await device.finish()
        #expect(device.now.terms != nil && device.now.end == End(hasMore: false))
    }

    @Test func `ends when its leave is over, a token's life`() async throws {
        let bench = try await LiveBench()
        let stream = try #require(
            try await bench.hub.begin(
                LiveBench.request(1), grant: LiveGrant(life: .milliseconds(20))
            ) { _ in })
        let last = Box<Frame?>(nil)
        try await stream.run { last.value = $0.frame }
        #expect(last.value == .end(End(hasMore: false)))
    }

    @Test func `ends when its replica opens another one`() async throws {
        let bench = try await LiveBench()
        let (old, new) = (LiveDevice(1), LiveDevice(1))
        old.open(bench.hub)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        new.open(bench.hub)
        await old.finish()
        #expect(old.now.end == End(hasMore: false))
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
        try await eventually("the new one has it") { new.now.notes[1] == "one" }
        #expect(bench.hub.liveFigures.streams == 1)
        new.cancel()
        await new.finish()
    }

    @Test func `ends when its replica may not sync any more`() async throws {
        let bench = try await LiveBench { $0.checkInterval = .milliseconds(10) }
        let device = LiveDevice(1)
        let user = Principal(subject: "ada")
        let hub = try #require(bench.hub.asSeen(by: user) as? any LiveHub)
        device.open(hub)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        _ = try await bench.hub.set(.revoked, replica: LiveBench.replica(1))
        await device.finish()
        #expect(device.now.end == End(hasMore: true))
        try bench.sql("INSERT INTO note VALUES (1, NULL, 'one')")
        #expect(device.now.notes.isEmpty)
    }

    @Test func `ends when its user holds other scopes`() async throws {
        let bench = try await LiveBench(
            scoped: true,
            holding: .query(ScopeQuery("SELECT owner FROM holder WHERE user = :sub"))
        ) { $0.checkInterval = .milliseconds(10) }
        let hub = try #require(
            bench.hub.asSeen(by: Principal(subject: "ada")) as? any LiveHub)
        let device = LiveDevice(1)
        device.open(hub)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        try bench.sql("INSERT INTO note VALUES (1, 'ada', 'hers')")
        try await eventually("her note came") { device.now.notes == [1: "hers"] }
        try bench.sql("INSERT INTO holder VALUES ('ada', 'bob')")
        await device.finish()
        #expect(device.now.end == End(hasMore: true))
        #expect(device.now.error == nil)
    }

    @Test func `ends when the schema moved, and when another epoch began`() async throws {
        let bench = try await LiveBench()
        let device = LiveDevice(1)
        device.open(bench.hub)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        try bench.sql("ALTER TABLE note ADD COLUMN more TEXT")
        _ = try await bench.hub.attach(tables: ["note"])
        await device.finish()
        #expect(device.now.end == End(hasMore: true))
        let other = LiveDevice(2)
        other.open(bench.hub)
        try await eventually("it waits") { bench.hub.liveFigures.waiting == 1 }
        _ = try await bench.hub.attach(tables: ["note"], newEpoch: true)
        await other.finish()
        #expect(other.now.end == End(hasMore: true))
    }

    @Test func `hears of its own scopes alone, and the others are not read`() async throws {
        let bench = try await LiveBench(scoped: true)
        let devices = try (1...12).map { number in
            let device = LiveDevice(number)
            let user = Principal(subject: "user\(number)")
            device.open(try #require(bench.hub.asSeen(by: user) as? any LiveHub))
            return device
        }
        for number in 1...12 {
            try bench.sql("INSERT INTO note VALUES (\(number), 'user\(number)', 'n')")
        }
        try await eventually("each has its own") {
            devices.allSatisfy { $0.now.notes.count == 1 }
                && bench.isAtRest(devices.count)
        }
        let before = bench.hub.liveFigures
        try bench.sql("UPDATE note SET text = 'new' WHERE id = 5")
        try await eventually("the fifth has it") { devices[4].now.notes == [5: "new"] }
        try await eventually("all wait") { bench.isAtRest(devices.count) }
        #expect(bench.hub.liveFigures.pagesRead - before.pagesRead == 1)
        #expect(devices.allSatisfy { $0.now.notes.count == 1 })
        for device in devices { device.cancel() }
        for device in devices { await device.finish() }
    }

    @Test(arguments: [1, 7, 1_000])
    func `misses nothing, however slow it is`(rows: Int) async throws {
        #expect(try await LiveRace(rows: rows, seed: 1).run() == [])
    }
}
