import Foundation

/// A value behind a lock, for state that synchronous code on several threads shares.
///
/// `@unchecked`: the value is touched inside the lock alone.
final class Locked<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}
