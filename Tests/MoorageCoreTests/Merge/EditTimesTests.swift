import MoorageCore
import MoorageTesting
import TestSupport
import Testing

@Suite(.ownThreads) struct `Placing an edit on the hub's clock` {
    @Test func `corrects the device's clock by the offset of this exchange`() {
        let times = EditTimes(sentAt: 1_000, now: 5_000, previousBatch: 0)
        #expect(times.offset == 4_000)
        #expect(times.place(900) == 4_900)
    }

    @Test func `keeps it between the previous batch and now`() {
        let times = EditTimes(sentAt: 1_000, now: 5_000, previousBatch: 4_500)
        #expect(times.place(10) == 4_500)
        #expect(times.place(2_000) == 5_000)
        #expect(times.place(10, isAgain: true) == 4_010)
    }

    @Test func `takes a previous batch of the future for now`() {
        #expect(EditTimes(sentAt: 0, now: 100, previousBatch: 9_000).place(0) == 100)
    }

    @Test func `keeps the order of the log and never traps, whatever the clocks`() {
        var random = SeededGenerator(seed: lawSeed + 12)
        let hard = hardIntegers + [1_700_000_000_000, -1_700_000_000_000]
        for _ in 0..<trials(20_000, nightly: 500_000) {
            let times = EditTimes(
                sentAt: DeviceTime(milliseconds: random.one(of: hard)),
                now: HubTime(milliseconds: random.one(of: hard)),
                previousBatch: random.once(in: 3)
                    ? nil : HubTime(milliseconds: random.one(of: hard)))
            let a = DeviceTime(milliseconds: random.one(of: hard))
            let b = DeviceTime(milliseconds: random.one(of: hard))
            let isAgain = random.once(in: 3)
            let first = times.place(min(a, b), isAgain: isAgain)
            let second = times.place(max(a, b), isAgain: isAgain)
            #expect(first <= second && second <= times.now)
            if !isAgain { #expect(first >= times.earliest) }
        }
    }
}
