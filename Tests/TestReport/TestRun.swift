/// One process that ran tests.
struct TestRun {
    let events: TestEvents
    /// Its exit code; 124 where its time was over, 125 where something kept it.
    let status: Int

    private var ranOutOfTime: Bool { status == 124 }

    /// Whether every test passed.
    var isGood: Bool { problem(isCut: false) == nil && events.failed.isEmpty }

    /// What is wrong with the process itself, whatever its tests say.
    ///
    /// - Parameter isCut: Running out of time is no failure.
    func problem(isCut: Bool) -> String? {
        if events.isUnreadable { return "The test runner's events cannot be read." }
        if isCut, ranOutOfTime { return nil }
        if ranOutOfTime { return "The tests took too long and were ended." }
        if !events.hasEnded { return "The test process ended before its tests: \(status)." }
        if events.count == 0, events.failed.isEmpty { return "No test ran." }
        if status == 125 { return "It did not end within 20 seconds of its tests." }
        if status != 0, status != 1 { return "The test process ended with \(status)." }
        if status == 1, events.failed.isEmpty { return "It failed, and names no test." }
        return nil
    }
}
