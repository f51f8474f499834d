#if Server
    import Foundation

    /// Numbers for keys, each given once: from a random place high above those in use, and within 32 bits
    /// where rows leave the room.
    ///
    /// Unchecked: `next` is only touched under the lock.
    final class RunNumbers: @unchecked Sendable {
        private let lock = NSLock()
        private var next = Int64.random(in: 1 << 30..<3 << 29)

        /// Numbers given from now on are above this one.
        func saw(_ number: Int64) {
            guard number < .max / 2 else { return }
            lock.withLock { next = max(next, number + 1) }
        }

        func take() -> Int64 {
            lock.withLock {
                defer { next += 1 }
                return next
            }
        }
    }
#endif
