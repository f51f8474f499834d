#if Server
    import Foundation

    /// A number that progress leaves behind.
    ///
    /// Unchecked: `count` is only touched under the lock.
    final class LatestCount: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0

        var value: Int { lock.withLock { count } }
        func set(_ count: Int) { lock.withLock { self.count = count } }
        func add(_ count: Int) { lock.withLock { self.count += count } }
    }
#endif
