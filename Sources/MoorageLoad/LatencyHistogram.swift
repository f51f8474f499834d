#if Server
    /// How long things took, counted in buckets: a few kilobytes, however many there were.
    ///
    /// A percentile is at most 1/64 above the true one. Times are whole microseconds, from 0 to 2⁴⁰ (12 days);
    /// longer ones count as that.
    struct LatencyHistogram: Sendable {
        private static let digits = 6
        private static let longest = UInt64(1) << 40

        private var counts = [UInt64](
            repeating: 0, count: Self.bucket(of: Self.longest) + 1)
        private(set) var count = 0
        /// Microseconds.
        private(set) var maximum: UInt64 = 0

        mutating func add(_ duration: Duration) {
            add(microseconds: UInt64(max(0, min(duration / .microseconds(1), 0x1p40))))
        }

        mutating func add(microseconds: UInt64) {
            let time = min(microseconds, Self.longest)
            counts[Self.bucket(of: time)] += 1
            count += 1
            maximum = max(maximum, time)
        }

        /// The time that so many of a hundred did not exceed, in microseconds; `nil` when there were none.
        ///
        /// - Parameter percent: Above 0, to 100.
        func percentile(_ percent: Double) -> UInt64? {
            guard count > 0 else { return nil }
            let rank = max(1, UInt64((percent / 100 * Double(count)).rounded(.up)))
            var seen: UInt64 = 0
            for (bucket, number) in counts.enumerated() {
                seen += number
                if seen >= rank { return min(Self.last(of: bucket), maximum) }
            }
            return maximum
        }

        /// Below 128 each time has its own bucket; above, 64 of them share each power of two.
        private static func bucket(of time: UInt64) -> Int {
            let shift = max(0, UInt64.bitWidth - time.leadingZeroBitCount - digits - 1)
            return shift << digits + Int(time >> UInt64(shift))
        }

        /// The longest time of a bucket.
        private static func last(of bucket: Int) -> UInt64 {
            let shift = max(0, bucket >> digits - 1)
            return (UInt64(bucket - shift << digits) + 1) << UInt64(shift) - 1
        }
    }
#endif
