#if Server
    import MoorageCore
    import MoorageTesting
    import TestSupport
    import Testing

    @testable import MoorageLoad

    @Suite(.ownThreads) struct `A latency histogram` {
        @Test(arguments: UInt64(1)...50)
        func `tells percentiles as a sorted array does, to a 64th`(seed: UInt64) throws {
            var random = SeededGenerator(seed: seed)
            var histogram = LatencyHistogram()
            let spread = UInt64.random(in: 1...50_000_000, using: &random)
            let times = (0..<Int.random(in: 1...2_000, using: &random)).map { _ in
                UInt64.random(in: 0...spread, using: &random)
            }.sorted()
            for time in times.shuffled(using: &random) { histogram.add(microseconds: time) }
            for percent in [0.1, 50, 90, 99, 99.9, 100] {
                let rank = max(1, Int((percent / 100 * Double(times.count)).rounded(.up)))
                let exact = times[rank - 1]
                let told = try #require(histogram.percentile(percent))
                #expect(told >= exact)
                #expect(Double(told) <= Double(exact) * (1 + 1.0 / 64))
            }
            #expect(histogram.count == times.count)
            #expect(histogram.maximum == times.last)
            #expect(histogram.percentile(100) == times.last)
        }

        @Test func `is exact below 128 microseconds`() {
            var histogram = LatencyHistogram()
            for time in UInt64(0)...127 { histogram.add(microseconds: time) }
            #expect(histogram.percentile(50) == 63)
            #expect(histogram.percentile(100) == 127)
        }

        @Test func `takes what nobody waits for, and nothing`() {
            var histogram = LatencyHistogram()
            #expect(histogram.percentile(50) == nil)
            histogram.add(.seconds(1 << 40))
            histogram.add(.seconds(-1))
            #expect(histogram.maximum == 1 << 40)
            #expect(histogram.percentile(50) == 0)
        }
    }

    @Suite(.ownThreads) struct `A schedule` {
        @Test func `goes on whatever becomes of the exchanges before`() {
            var schedule = Schedule(rate: 2, seconds: 2, delay: 0.5)
            #expect(schedule.remaining == 4)
            let due = [schedule.next(), schedule.next(), schedule.next(), schedule.next()]
            #expect(due == [0.25, 0.75, 1.25, 1.75].map { .seconds($0) })
            #expect(schedule.remaining == 0)
            #expect(schedule.next() == nil)
        }

        @Test func `ends after so many exchanges, however late they are`() {
            var schedule = Schedule(rate: 2, exchanges: 2, delay: 0.5)
            #expect(schedule.remaining == 2 && schedule.length == nil)
            let due = [schedule.next(), schedule.next(), schedule.next()]
            #expect(due == [.seconds(0.25), .seconds(0.75), nil])
            #expect(schedule.remaining == 0)
        }

        @Test func `may have no exchange in its time`() {
            var schedule = Schedule(rate: 0.1, seconds: 2, delay: 0.5)
            #expect(schedule.remaining == 0)
            #expect(schedule.next() == nil)
        }
    }

    @Suite(.ownThreads) struct `Following rows to other devices` {
        private func key(_ number: Int64) -> RowKey { RowKey([.integer(number)]) }

        @Test func `counts each once, by the first who receives it`() {
            let now = ContinuousClock.now
            var deliveries = DeliveryTracker()
            deliveries.sent([key(1), key(2), key(3)])
            deliveries.received([key(1)], at: now)
            deliveries.answered([key(1), key(2)], at: now)
            deliveries.dropped([key(3)])
            deliveries.received([key(2), key(9)], at: now + .milliseconds(100))
            deliveries.received([key(2)], at: now + .seconds(9))
            #expect(deliveries.times.count == 2)
            #expect(deliveries.times.percentile(50) == 0)
            #expect(deliveries.times.maximum == 100_000)
            #expect(deliveries.pending == 0)
        }
    }
#endif
