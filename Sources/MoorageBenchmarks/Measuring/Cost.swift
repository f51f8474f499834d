import Foundation

/// What a piece of work took: by the wall clock, and of this process's own processor time.
struct Cost: Sendable {
    var wall: Double
    var cpu: Double

    static func measure(_ body: () async throws -> Void) async rethrows -> Cost {
        let clock = ContinuousClock()
        let (start, cpu) = (clock.now, processorSeconds())
        try await body()
        let wall = (clock.now - start) / .seconds(1)
        return Cost(wall: wall, cpu: processorSeconds() - cpu)
    }

    private static func processorSeconds() -> Double {
        var usage = rusage()
        #if os(Linux)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
        }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
}

/// One way of doing the work of a group. Its set-up is no part of what is measured.
struct Contender {
    let name: String
    /// Prepares repetition number so-and-so, and gives the work to be measured.
    let prepare: (Int) async throws -> () async throws -> Void
}
