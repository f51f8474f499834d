#if Server
    import Foundation

    /// A count that progress reports write and the command reads at the end.
    ///
    /// Unchecked: all access to `count` is under the lock.
    package final class LatestCount: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0

        package init() {}

        package var value: Int { lock.withLock { count } }
        package func set(_ count: Int) { lock.withLock { self.count = count } }
        package func add(_ count: Int) { lock.withLock { self.count += count } }
    }
#endif
