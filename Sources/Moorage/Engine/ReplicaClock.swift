public import Foundation
import MoorageCore
import MoorageSupport

/// The time, passed in: a test runs without a real clock.
public protocol ReplicaClock: Sendable {
    /// The time of day, as the replica records and shows it. Any thread may call it.
    func now() -> Date

    /// Waits. Several tasks may wait at once.
    ///
    /// - Parameter duration: How long to wait; at zero or less it returns at once.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(for duration: Duration) async throws
}

extension ReplicaClock {
    /// Now, to the millisecond.
    var time: DeviceTime { DeviceTime(now()) }
}

/// The device's own clock.
public struct SystemClock: ReplicaClock {
    /// The clock of this device. All values of this type are the same.
    public init() {}

    /// The time of day by the device's clock.
    public func now() -> Date { Date() }

    /// Waits by a clock that nobody sets.
    ///
    /// - Parameter duration: How long to wait.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// Random numbers, passed in: a test runs from a seed.
public struct ReplicaRandom: Sendable {
    private let source: @Sendable () -> UInt64

    /// Random numbers from a closure.
    ///
    /// - Parameter source: Returns the next 64 random bits. Any thread may call it.
    public init(_ source: @escaping @Sendable () -> UInt64) { self.source = source }

    /// The system's generator.
    public static let system = ReplicaRandom { UInt64.random(in: .min ... .max) }

    var generator: Generator { Generator(source: source) }

    struct Generator: RandomNumberGenerator {
        let source: @Sendable () -> UInt64
        mutating func next() -> UInt64 { source() }
    }
}
