#if Server
    import Foundation

    /// Numbers for keys, each given once. They are random, far apart, and above those in use. A
    /// program that counts on from the highest key therefore does not reach the next one. They fit
    /// into 32 bits unless existing keys are near that limit.
    ///
    /// Unchecked: all access to the numbers is under the lock.
    final class RunNumbers: @unchecked Sendable {
        private static let span: Int64 = 1 << 29
        private let lock = NSLock()
        private var floor: Int64 = 1 << 30
        /// At most as many as the rows that a run may make.
        private var used: Set<Int64> = []

        /// Reports another program's key: numbers given from now on are above it.
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
