public import Foundation
import GRDB
public import Moorage
import MoorageSupport

/// The time in a sandbox. It moves only when somebody moves it, so a test always sees the same order
/// of edits.
final class SandboxTime: Sendable {
    private let now = Locked(SandboxTime.start)

    /// Noon of 2026-01-01 in UTC.
    static let start = Date(timeIntervalSince1970: 1_767_268_800)

    var date: Date { now.withLock { $0 } }

    func advance(by duration: Duration) {
        now.withLock { $0 += duration / .seconds(1) }
    }
}

/// The clock of one device, or of the central database: the sandbox's time, and how far it is off.
public final class SandboxClock: ReplicaClock {
    private let time: SandboxTime
    private let error = Locked(Duration.zero)

    init(_ time: SandboxTime) { self.time = time }

    /// How far the clock is ahead of the sandbox's time; negative for one that is behind.
    public var offset: Duration {
        get { error.withLock { $0 } }
        set { error.withLock { $0 = newValue } }
    }

    /// The time by this clock.
    public func now() -> Date { time.date + offset / .seconds(1) }

    /// Waits by the real clock: a running replica of a sandbox pauses as long as any other.
    public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

    /// Replaces SQLite's `julianday`, by which triggers read the time. `datetime` and its relatives
    /// still give the real time.
    func install(on db: Database) {
        let julianDay = DatabaseFunction("julianday", argumentCount: 1, pure: true) {
            [self] values in
            if String.fromDatabaseValue(values[0])?.lowercased() == "now" { return now().julianDay }
            // Everything else means what SQLite says.
            return try Self.calendar.get().read {
                try Double.fetchOne($0, sql: "SELECT julianday(?)", arguments: [values[0]])
            }
        }
        db.add(function: julianDay)
    }

    /// A database with SQLite's own functions.
    private static let calendar = Result { try DatabaseQueue() }
}

extension Date {
    /// Days since noon in Greenwich on 24 November 4714 BC, as SQLite counts them.
    fileprivate var julianDay: Double { timeIntervalSince1970 / 86_400 + 2_440_587.5 }
}
