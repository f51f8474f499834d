public import Foundation
import MoorageCore
import MoorageSupport

/// The time, passed in: a test runs without a real clock.
public protocol ReplicaClock: Sendable {
    func now() -> Date
    func sleep(for duration: Duration) async throws
}

extension ReplicaClock {
    /// Now, to the millisecond.
    var time: DeviceTime { DeviceTime(now()) }
}

/// The device's own clock.
public struct SystemClock: ReplicaClock {
    public init() {}

    public func now() -> Date { Date() }

    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// Random numbers, passed in: a test runs from a seed.
public struct ReplicaRandom: Sendable {
    private let source: @Sendable () -> UInt64

    public init(_ source: @escaping @Sendable () -> UInt64) { self.source = source }

    /// The system's generator.
    public static let system = ReplicaRandom { UInt64.random(in: .min ... .max) }

    var generator: Generator { Generator(source: source) }

    struct Generator: RandomNumberGenerator {
        let source: @Sendable () -> UInt64
        mutating func next() -> UInt64 { source() }
    }
}
