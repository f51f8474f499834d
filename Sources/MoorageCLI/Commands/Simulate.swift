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

        @Option(
            name: .customLong("histories"),
            help: "How many histories, from consecutive seeds. (default: 100)")
        var count: Int?

        @Option(name: .customLong("steps"), help: "Steps of one history. (default: 200)")
        var size: Int?

        @Option(help: "Threads; a history runs on one.")
        var threads = 1

        @Option(
            help: """
                The kind of world: random, plain (three tables, and a network that loses messages), \
                narrow (small pages and batches, a centre that is often restored) or crowded (few rows, \
                edited in the middle of exchanges). Without it the seed decides.
                """)
        var world: String?

        #if PLANTED_BUGS
            @Flag(
                help: """
                    Looks for each planted bug, in at most so many histories (2000) of so many steps \
                    (100), and prints how many it took.
                    """)
            var planted = false

            @Option(
                help: """
                    Only these planted bugs, with commas between them. With --replay: runs the history \
                    with each of them.
                    """)
            var bugs: String?

            @Option(help: "With --planted: a folder that keeps a short story of each bug found.")
            var keep: String?
        #endif

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

        @Flag(help: "With --replay: prints each step and each message.")
        var trace = false

        func validate() throws {
            guard histories > 0, steps > 0, (1...256).contains(threads) else {
                throw ValidationError("--histories, --steps and --threads must be positive.")
            }
            guard world == nil || profile != nil else {
                let known = History.Profile.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--world is one of: \(known).")
            }
        }

        private var histories: Int { count ?? 100 }
        private var steps: Int { size ?? 200 }
        private var profile: History.Profile? { world.flatMap(History.Profile.init) }

        private func history(_ seed: UInt64) -> History {
            History(seed: seed, size: steps, profile: profile ?? .inTurn(seed))
        }

        func run() throws {
            if let replay { return try run(file: replay) }
            #if PLANTED_BUGS
                if planted { return try findPlantedBugs() }
            #endif
            if story {
                return print(history(seed).text)
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
                        + (world.map { " --world \($0)" } ?? "") + " --shrink")
            }
            print("\(histories) histories of \(steps) steps, \(report.failures.count) failed")
            print(
                Reached.allCases.map { "\($0.rawValue) \(report.reached[$0] ?? 0)" }.joined(
                    separator: ", "))
            guard let first = report.failures.first else { return try checkReached(report) }
            if shrink {
                try shorten(history(first.seed), first.violation)
            }
            throw CommandFailure("\(report.failures.count) histories broke a promise.")
        }

        #if PLANTED_BUGS
            private func findPlantedBugs() throws {
                let search = PlantedBugSearch(
                    firstSeed: seed, bound: count ?? 2000, size: size ?? 100, threads: threads)
                let names = bugs.map { $0.split(separator: ",").map(String.init) }
                let findings = search.run(names ?? PlantedBugSearch.names) { finding in
                    Console.error(
                        "\(finding.bug): \(finding.histories.map { "\($0) histories" } ?? "not found")"
                    )
                }
                var table = TextTable()
                table.add("bug", "histories", "noticed by", "seed")
                for finding in findings {
                    table.add(
                        finding.bug, finding.histories.map { String($0) } ?? "-",
                        finding.violation?.oracle.rawValue ?? "-",
                        "\(finding.seed) \(finding.profile.rawValue), \(finding.size) steps")
                }
                print(table.text)
                if let keep { try keepStories(of: findings, in: keep) }
                let hidden = findings.filter { $0.histories == nil }.map(\.bug)
                guard hidden.isEmpty, !findings.isEmpty else {
                    throw CommandFailure(
                        """
                        Not found within \(search.bound) histories, and as many twice as long: \
                        \(hidden.joined(separator: ", ")).
                        """
                    )
                }
                print("\(findings.count) planted bugs, all found")
            }

            private func keepStories(
                of findings: [PlantedBugSearch.Finding], in folder: String
            ) throws {
                for finding in findings where finding.histories != nil {
                    let history = History(
                        seed: finding.seed, size: finding.size, profile: finding.profile)
                    guard let story = PlantedBugSearch.story(of: finding.bug, in: history),
                        let violation = PlantedBugSearch.violation(of: story, with: finding.bug)
                    else { continue }
                    try "# \(violation)\n\(story.text)".write(
                        toFile: "\(folder)/\(finding.bug).history", atomically: true,
                        encoding: .utf8)
                }
            }
        #endif

        private func checkReached(_ report: Campaign.Report) throws {
            let rare = Reached.allCases.filter {
                // Only narrow worlds know of another program's lock.
                report.reached[$0, default: 0] < reach
                    && ($0 != .hubBusy || (profile ?? .narrow) == .narrow)
            }
            if rare.isEmpty { return }
            let names = rare.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(
                "The histories show nothing of: \(names).", next: "Run more histories.")
        }

        private func run(file: String) throws {
            let text = try String(contentsOfFile: file, encoding: .utf8)
            let history = try History(text: text)
            #if PLANTED_BUGS
                for bug in bugs.map({ $0.split(separator: ",").map(String.init) }) ?? [] {
                    let violation = PlantedBugSearch.violation(of: history, with: bug)
                    print("\(bug): \(violation.map { "\($0)" } ?? "not noticed")")
                }
            #endif
            let result = Simulation.run(history, trace: trace ? { print($0) } : nil)
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
