import Foundation

/// What a run of the tests is judged by: its processes, and the second tries of tests that failed.
struct Verdict {
    private let runs: [TestRun]
    private let isCut: Bool
    private let prefix: String
    private let unstable: [String]
    private let failed: [String]

    /// - Parameters:
    ///   - isCut: The run's time was over, as that of a night may be.
    ///   - prefix: The command that repeats a test, without its filter.
    init(_ runs: [TestRun], _ second: [TestRun], isCut: Bool, prefix: String) {
        self.runs = runs
        self.isCut = isCut
        self.prefix = prefix
        let passed = Set(second.filter(\.isGood).flatMap(\.events.started))
        let all = runs.flatMap(\.events.failed)
        unstable = all.filter { passed.contains($0) }
        failed = all.filter { !passed.contains($0) }
    }

    /// Prints the failures and the unstable tests.
    ///
    /// - Returns: Whether the run passes.
    func write() -> Bool {
        let areFine = writeProblems()
        writeUnstable()
        writeFailures()
        return areFine && failed.isEmpty && unstable.count <= TestReport.mostUnstable
    }

    /// Prints what is wrong with the processes themselves.
    private func writeProblems() -> Bool {
        let problems = runs.compactMap { run in run.problem(isCut: isCut).map { (run, $0) } }
        for (run, problem) in problems {
            print("FAILED \(problem)")
            let unfinished = run.events.unfinished
            if !unfinished.isEmpty { print("  These tests were running:") }
            for test in unfinished.prefix(4) { print("  \(command(test))") }
        }
        let isEmpty = failed.isEmpty && unstable.isEmpty && !runs.contains { $0.events.count > 0 }
        if isEmpty, problems.isEmpty { print("FAILED No test ran.") }
        return problems.isEmpty && !isEmpty
    }

    private func writeFailures() {
        for (index, test) in failed.prefix(TestReport.mostTriedAgain).enumerated() {
            print("FAILED \(name(test))")
            // The first ones in full: a reader sees some forty lines.
            guard index < 5 else { continue }
            writeIssues(of: test)
            print("  again: \(command(test))")
        }
        let more = failed.count - TestReport.mostTriedAgain
        if more > 0 { print("… and \(more) more tests failed") }
    }

    private func writeUnstable() {
        for test in unstable {
            print("UNSTABLE \(name(test)): it failed, and passed when it ran again alone")
            writeIssues(of: test)
            print("  again: \(command(test))")
        }
        if unstable.count > TestReport.mostUnstable {
            print("FAILED \(unstable.count) unstable tests; \(TestReport.mostUnstable) may pass")
        }
    }

    private func writeIssues(of test: String) {
        for issue in runs.flatMap(\.events.issues).filter({ $0.testID == test }).prefix(2) {
            let argument = issue.argument.map { " [\(Self.line($0, 60))]" } ?? ""
            print("  \(issue.place)\(argument) \(Self.line(issue.message, 300))")
        }
    }

    private func command(_ test: String) -> String {
        "\(prefix) --filter '\(Self.line(TestReport.filter(test), .max))'"
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
