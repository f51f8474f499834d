import Foundation

/// What a run of the tests, and the second tries of those that failed, come to.
struct Verdict {
    private let events: TestEvents
    private let unstable: [String]
    private let failed: [String]
    private let hasEnded: Bool

    /// - Parameter isCut: The run reached its limit, as a run of the night may.
    init(_ events: TestEvents, _ second: [TestEvents], isCut: Bool) {
        self.events = events
        hasEnded = events.hasEnded || isCut
        let passed = Set(
            second.filter { $0.hasEnded && $0.failed.isEmpty && $0.count > 0 }.flatMap(\.started))
        unstable = events.failed.filter { passed.contains($0) }
        failed = events.failed.filter { !passed.contains($0) }
    }

    /// Prints the failures and the unstable tests.
    ///
    /// - Returns: Whether the run passes.
    func tell() -> Bool {
        tellFailures()
        tellUnstable()
        if !hasEnded {
            print("The test process ended before its tests did. These were running:")
            for test in events.unfinished.prefix(16) { print("  \(name(test))") }
        }
        if events.count == 0 { print("No test ran.") }
        return hasEnded && events.count > 0 && failed.isEmpty
            && unstable.count <= TestReport.mostUnstable
    }

    private func tellFailures() {
        for test in failed.prefix(TestReport.mostTriedAgain) {
            print("FAILED \(name(test))")
            tellIssues(of: test, in: events)
            print("  again: Scripts/test --filter '\(TestReport.filter(test))'")
        }
        let more = failed.count - TestReport.mostTriedAgain
        if more > 0 { print("… and \(more) more tests failed") }
    }

    private func tellUnstable() {
        for test in unstable {
            print("UNSTABLE \(name(test)): it failed, and passed when it was run again alone")
            tellIssues(of: test, in: events)
            print("  again: Scripts/test --filter '\(TestReport.filter(test))'")
        }
        if unstable.count > TestReport.mostUnstable {
            print(
                "\(unstable.count) unstable tests are more than the \(TestReport.mostUnstable) that pass"
            )
        }
    }

    private func tellIssues(of test: String, in events: TestEvents) {
        for issue in events.issues.filter({ $0.testID == test }).prefix(2) {
            let argument = issue.argument.map { " [\(Self.line($0, 60))]" } ?? ""
            print("  \(issue.place)\(argument) \(Self.line(issue.message, 300))")
        }
    }

    /// The name that its module and its suite say, without the place.
    private func name(_ test: String) -> String {
        let parts = test.split(separator: "/")
        let words = parts.last?.contains(".swift:") == true ? parts.dropLast() : parts[...]
        return Self.line(words.joined(separator: "/"), 200)
    }

    /// One line without control characters, and not too long: `grep` stops at a NUL.
    private static func line(_ text: String, _ most: Int) -> String {
        let clean = text.map { $0.isNewline || $0.asciiValue.map { $0 < 32 } == true ? " " : $0 }
        return clean.count <= most ? String(clean) : String(clean.prefix(most)) + "…"
    }
}
