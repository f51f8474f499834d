#if Server || Tools
    import ArgumentParser
    import Foundation
    import MoorageTesting

    /// `moorage-dev simulate`: runs simulated histories (docs/development/testing.md).
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
                narrow (small pages and batches, a centre that is often restored), contended (few rows, \
                edited in the middle of exchanges) or migrating (tables that change on both sides). \
                Without it the seed decides.
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

        var histories: Int { count ?? 100 }
        var steps: Int { size ?? 200 }
        var profile: History.Profile? { world.flatMap(History.Profile.init) }

        private func history(_ seed: UInt64) -> History {
            History(seed: seed, size: steps, profile: profile ?? .inTurn(seed))
        }

        func run() throws {
            // The printed lines come out before the error that ends the run.
            defer { fflush(nil) }
            if let replay { return try run(file: replay) }
            #if PLANTED_BUGS
                if planted { return try findPlantedBugs() }
            #endif
            if story {
                return print(history(seed).text)
            }
            let campaign = Campaign(
                firstSeed: seed, count: histories, size: steps, profile: profile, threads: threads)
            CrashReport.install()
            let report = campaign.run(begins: CrashReport.record)
            if digest { print("digest \(report.digest)") }
            for failure in report.failures.prefix(20) {
                print("seed \(failure.seed): \(failure.violation)")
                print(
                    "  moorage-dev simulate --seed \(failure.seed) --histories 1 --steps \(steps)"
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
            throw SimulatorFailure("\(report.failures.count) histories broke a promise.")
        }

        private func checkReached(_ report: Campaign.Report) throws {
            let rare = Reached.allCases.filter {
                report.reached[$0, default: 0] < reach && isCommon($0)
            }
            if rare.isEmpty { return }
            let names = rare.map(\.rawValue).joined(separator: ", ")
            throw SimulatorFailure("The histories show nothing of: \(names). Run more histories.")
        }

        /// Whether worlds of this kind reach something often.
        private func isCommon(_ reached: Reached) -> Bool {
            switch reached {
            // Only narrow worlds have another program's lock.
            case .hubBusy: (profile ?? .narrow) == .narrow
            case .tableOutdated, .tableAdded, .tableDropped: profile == .migrating
            case .attached, .altered, .upgraded, .filled, .conflict: true
            default: profile != .migrating
            }
        }

        private func run(file: String) throws {
            let history: History
            do {
                history = try History(text: String(contentsOfFile: file, encoding: .utf8))
            } catch {
                throw SimulatorFailure("\(file): \(error)")
            }
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
            throw SimulatorFailure("The history broke a promise.")
        }

        private func shorten(_ history: History, _ violation: Violation) throws {
            var shrinker = Shrinker(violation)
            let short = shrinker.shrink(history)
            if let violation = Simulation.run(short).violation { print("# \(violation)") }
            print(short.text)
        }
    }

    /// The message of a run that ends with 1.
    struct SimulatorFailure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
#endif
