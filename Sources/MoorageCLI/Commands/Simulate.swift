#if Server
    import ArgumentParser
    import Foundation
    import MoorageTesting

    struct Simulate: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Runs simulated histories of devices, a hub and a bad network.",
            discussion: """
                The same seed is the same history. When one breaks a promise, its seed, the line that \
                replays it and its story are printed, and the exit code is 1.
                """)

        @Option(help: "The first seed.")
        var seed: UInt64 = 1

        @Option(help: "How many histories, from consecutive seeds.")
        var histories = 100

        @Option(help: "Steps of one history.")
        var steps = 200

        @Option(help: "Threads; a history runs on one.")
        var threads = 1

        @Flag(help: "Three tables and a network that loses messages, and nothing else.")
        var plain = false

        @Flag(help: "Prints the digest of all frames and databases.")
        var digest = false

        @Flag(help: "Shortens the first story that fails.")
        var shrink = false

        @Flag(help: "Prints the story of the first seed and does not run it.")
        var story = false

        @Option(help: "Fails unless each fault was reached so often in all.")
        var reach = 0

        @Option(help: "Runs the history of a file.")
        var replay: String?

        func validate() throws {
            guard histories > 0, steps > 0, (1...256).contains(threads) else {
                throw ValidationError("--histories, --steps and --threads must be positive.")
            }
        }

        func run() throws {
            if let replay { return try run(file: replay) }
            let profile = plain ? History.Profile.plain : .random
            if story {
                return print(History(seed: seed, size: steps, profile: profile).text)
            }
            let campaign = Campaign(
                firstSeed: seed, count: histories, size: steps, profile: profile, threads: threads)
            LastWords.install()
            let report = campaign.run(begins: LastWords.note)
            if digest { print("digest \(report.digest)") }
            for failure in report.failures.prefix(20) {
                print("seed \(failure.seed): \(failure.violation)")
                print(
                    "  moorage simulate --seed \(failure.seed) --histories 1 --steps \(steps)"
                        + (plain ? " --plain" : "") + " --shrink")
            }
            print("\(histories) histories of \(steps) steps, \(report.failures.count) failed")
            print(
                Reached.allCases.map { "\($0.rawValue) \(report.reached[$0] ?? 0)" }.joined(
                    separator: ", "))
            guard let first = report.failures.first else { return try checkReached(report) }
            if shrink {
                try shorten(
                    History(seed: first.seed, size: steps, profile: profile), first.violation)
            }
            throw CommandFailure("\(report.failures.count) histories broke a promise.")
        }

        private func checkReached(_ report: Campaign.Report) throws {
            let rare = Reached.allCases.filter { report.reached[$0, default: 0] < reach }
            if rare.isEmpty { return }
            let names = rare.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(
                "The histories show nothing of: \(names).", next: "Run more histories.")
        }

        private func run(file: String) throws {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let history = try History(text: text)
            let result = Simulation.run(history)
            if digest { print("digest \(result.digest)") }
            guard let violation = result.violation else { return print("\(file): holds") }
            print("\(file): \(violation)")
            if shrink { try shorten(history, violation) }
            throw CommandFailure("The history broke a promise.")
        }

        private func shorten(_ history: History, _ violation: Violation) throws {
            var shrinker = Shrinker(violation)
            let short = shrinker.shrink(history)
            if let violation = Simulation.run(short).violation { print("# \(violation)") }
            print(short.text)
        }
    }
#endif
