import Foundation

/// Says what a run of the tests came to, for Scripts/test.
///
///     TestReport again EVENTS             one filter a line for each test that failed and is tried again
///     TestReport verdict [--cut] EVENTS [AGAIN…]
///                                         the failures and the unstable tests, and an exit code;
///                                         a run that was cut off may have tests that did not end
///     TestReport count EVENTS             how many tests ran
///
/// A test that failed and passes when it is run again alone is *unstable*. Up to three of them are
/// named and do not fail the run.
@main struct TestReport {
    /// More failures than this are no chance, and trying each again would take long.
    static let mostTriedAgain = 10
    static let mostUnstable = 3

    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let isCut = arguments.contains("--cut")
        arguments.removeAll { $0 == "--cut" }
        guard let command = arguments.first, arguments.count >= 2 else { usage() }
        do {
            let paths = arguments.dropFirst()
            let events = try TestEvents(contentsOf: paths.first ?? "")
            switch command {
            case "again": again(events)
            case "count": print(events.count)
            case "verdict":
                let second = try paths.dropFirst().map(TestEvents.init(contentsOf:))
                exit(Verdict(events, second, isCut: isCut).tell() ? 0 : 1)
            default: usage()
            }
        } catch {
            complain("\(error)")
        }
    }

    private static func again(_ events: TestEvents) {
        let failed = events.failed
        guard events.hasEnded, failed.count <= mostTriedAgain, !failed.contains("no test") else {
            return
        }
        for test in failed { print(filter(test)) }
    }

    /// A pattern for `swift test --filter` that only this test matches.
    static func filter(_ test: String) -> String {
        let escaped = test.map { character in
            ".+*?^$()[]{}|\\".contains(character) ? "\\\(character)" : String(character)
        }
        return "^\(escaped.joined())$"
    }

    private static func usage() -> Never {
        complain("TestReport (again | count | verdict) EVENTS [AGAIN…]")
    }

    private static func complain(_ text: String) -> Never {
        FileHandle.standardError.write(Data((text + "\n").utf8))
        exit(64)
    }
}
