#if Server
    import Foundation

    /// A value that is only touched under its lock.
    ///
    /// Unchecked: `value` is private and reached through `withLock` alone.
    final class Locked<Value: Sendable>: @unchecked Sendable {
        private let lock = NSLock()
        private var value: Value

        init(_ value: Value) { self.value = value }

        func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
            lock.lock()
            defer { lock.unlock() }
            return try body(&value)
        }
    }
#endif
