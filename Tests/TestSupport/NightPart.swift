import Foundation
public import Testing

/// The parts of the night that are suites: `Scripts/nightly PART` runs one of them.
///
/// The gate judges and the night searches: what draws fresh seeds, runs for a given time, kills or
/// tortures is a suite below `Night`, with the trait of its part.
public enum NightPart: String, Sendable {
    case torture, fire, kills, soak, large

    /// The part that runs, from `MOORAGE_NIGHT`; `nil` in the gate.
    public static let running = ProcessInfo.processInfo.environment["MOORAGE_NIGHT"]
        .flatMap(NightPart.init)
}

extension Trait where Self == ConditionTrait {
    /// The suite belongs to a part of the night and runs with it alone.
    public static func night(_ part: NightPart) -> Self {
        .enabled(
            if: NightPart.running == part, "It searches: Scripts/nightly \(part.rawValue) runs it.")
    }
}

/// How long a part of the night has, and from which seed it goes.
public struct NightPlan: Sendable {
    /// `MOORAGE_SEED`, or a fresh one. Each run prints the seeds that it takes.
    public let seed: UInt64
    private let start = ContinuousClock.now
    private let end: ContinuousClock.Instant

    /// The plan of this process: `MOORAGE_MINUTES` are shared by all that the part runs.
    public static let current = NightPlan(ProcessInfo.processInfo.environment)

    init(_ environment: [String: String]) {
        seed = environment["MOORAGE_SEED"].flatMap(UInt64.init) ?? .random(in: 1..<1 << 48)
        let minutes = environment["MOORAGE_MINUTES"].flatMap(Double.init) ?? 10
        end = .now + .seconds(minutes * 60)
    }

    public var isOver: Bool { isOver(1) }

    /// Whether a share of the time is over, from 0 to 1: for suites that follow each other.
    public func isOver(_ share: Double) -> Bool {
        ContinuousClock.now >= start + (end - start) * share
    }

    /// Prints what a suite of the night did, in one line: `Scripts/nightly` puts these lines together.
    ///
    /// - Parameter text: Counts with their units, such as "MariaDB: 12 runs, 30,112 commits".
    public static func figures(_ text: String) {
        print("figures: \(text)")
    }
}
