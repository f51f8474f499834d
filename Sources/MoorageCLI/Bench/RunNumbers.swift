#if Server
    import Foundation

    /// Numbers for keys, each given once: far apart, at random, and above those in use, so that no program that
    /// counts on from the highest key comes upon the next one. Within 32 bits where rows leave the room.
    ///
    /// Unchecked: the numbers are only touched under the lock.
    final class RunNumbers: @unchecked Sendable {
        private static let span: Int64 = 1 << 29
        private let lock = NSLock()
        private var floor: Int64 = 1 << 30
        /// At most as many as a run may make rows.
        private var used: Set<Int64> = []

        /// Somebody else's key: numbers given from now on are above it.
        func saw(_ number: Int64) {
            guard number < .max / 2 else { return }
            lock.withLock {
                if !used.contains(number) { floor = max(floor, number) }
            }
        }

        func next() -> Int64 {
            lock.withLock {
                var number: Int64
                repeat {
                    number = Int64.random(in: (floor + 1)..<(floor + Self.span))
                } while !used.insert(number).inserted
                return number
            }
        }
    }
#endif
