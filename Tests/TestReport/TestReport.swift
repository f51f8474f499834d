import Foundation

/// Reports on a run of the tests, for Scripts/test.
///
/// - `TestReport again EVENTS STATUS` prints one filter a line for each test that failed and runs
///   again.
/// - `TestReport verdict [--cut] [--prefix COMMAND] EVENTS STATUS… [--again EVENTS STATUS…]` prints
///   the failures and the unstable tests, and returns an exit code.
/// - `TestReport count EVENTS…` prints how many tests ran.
///
/// EVENTS is the event stream of a test process, STATUS its exit code. A test that failed and
/// passes when it runs again alone is *unstable*. Up to three of them are named and do not fail the
/// run. A run that is cut, because its time was over, may have tests that did not end.
@main struct TestReport {
    /// More failures than this are no coincidence, and trying each again would take long.
    static let mostTriedAgain = 10
    static let mostUnstable = 3

    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let command = arguments.popFirst()
        let isCut = arguments.first == "--cut"
        if isCut { arguments.removeFirst() }
        var prefix = "Scripts/test"
        if arguments.first == "--prefix", arguments.count > 1 {
            arguments.removeFirst()
            prefix = arguments.removeFirst()
        }
        switch command {
        case "again":
            guard let run = runs(arguments).first else { usage() }
            again(run)
        case "count":
            print(arguments.map { TestEvents(contentsOf: $0).count }.reduce(0, +))
        case "verdict":
            let parts = arguments.split(
                separator: "--again", maxSplits: 1, omittingEmptySubsequences: false)
            let second = parts.count > 1 ? runs(parts[1]) : []
            let verdict = Verdict(runs(parts[0]), second, isCut: isCut, prefix: prefix)
            exit(verdict.write() ? 0 : 1)
        default: usage()
        }
    }

    /// Pairs of a file and an exit code.
    private static func runs(_ arguments: ArraySlice<String>) -> [TestRun] {
        let words = Array(arguments)
        guard !words.isEmpty, words.count.isMultiple(of: 2) else { usage() }
        return stride(from: 0, to: words.count, by: 2).map { index in
            guard let status = Int(words[index + 1]) else { usage() }
            return TestRun(events: TestEvents(contentsOf: words[index]), status: status)
        }
    }

    private static func again(_ run: TestRun) {
        let failed = run.events.failed.filter { $0 != TestEvents.noTest }
        guard run.problem(isCut: false) == nil, failed.count <= mostTriedAgain else { return }
        for test in failed { print(filter(test)) }
    }

    /// A pattern for `swift test --filter` that only this test matches, and that a shell takes in
    /// quotes.
    static func filter(_ test: String) -> String {
        let escaped = test.map { character in
            switch character {
            case "'", "`": "."
            case _ where ".+*?^$()[]{}|\\".contains(character): "\\\(character)"
            default: String(character)
            }
        }
        return "^\(escaped.joined())$"
    }

    private static func usage() -> Never {
        FileHandle.standardError.write(
            Data("TestReport (again | count | verdict) EVENTS STATUS …\n".utf8))
        exit(64)
    }
}
