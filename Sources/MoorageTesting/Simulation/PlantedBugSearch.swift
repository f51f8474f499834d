#if PLANTED_BUGS
    import MoorageCore

    /// Looks for planted bugs: histories from consecutive seeds, until one breaks a promise with the
    /// bug and keeps every promise without it.
    package struct PlantedBugSearch: Sendable {
        package var firstSeed: UInt64
        /// After so many histories, and as many that are twice as long, the bug counts as not found.
        package var bound: Int
        /// Steps of a history.
        package var size: Int
        package var threads: Int

        package init(firstSeed: UInt64, bound: Int = 2000, size: Int = 100, threads: Int = 1) {
            self.firstSeed = firstSeed
            self.bound = bound
            self.size = size
            self.threads = threads
        }

        package struct Finding: Hashable, Sendable {
            package let bug: String
            /// How many histories it took; `nil` when the bound was reached.
            package let histories: Int?
            package let profile: History.Profile
            package let seed: UInt64
            /// Steps of the history that showed it.
            package let size: Int
            package let violation: Violation?
        }

        /// What a history breaks when the program makes a mistake; `nil` when it breaks nothing, or
        /// there is no such mistake.
        package static func violation(of history: History, with name: String) -> Violation? {
            PlantedBug(name: name).flatMap { Simulation.violation(of: history, with: $0) }
        }

        /// A short story that shows a mistake: the history without what it needs not.
        ///
        /// - Returns: `nil` when the history breaks no promise with the mistake, or one without it.
        package static func story(of name: String, in history: History) -> History? {
            guard let bug = PlantedBug(name: name) else { return nil }
            func shows(_ history: History) -> Bool {
                Simulation.violation(of: history, with: bug) != nil
                    && Simulation.run(history).violation == nil
            }
            guard shows(history) else { return nil }
            var shrinker = Shrinker(budget: 3000, isStillBroken: shows)
            return shrinker.shrink(history)
        }

        /// Bugs that no search has found yet: what shows them is too rare in histories drawn at
        /// random. Their stories are written by hand.
        package static let shownByStoriesAlone: Set<String> = [
            "keysBelowRows", "keysOfFormerName", "replacedAboveUnnoticed", "sumForgetsBase",
        ]

        /// Every planted bug by its name.
        package static var names: [String] { PlantedBug.allCases.map(\.name) }

        /// - Parameters:
        ///   - names: Which bugs to look for.
        ///   - found: Told of each finding, from any thread.
        /// - Returns: One finding for each name that there is, in the order of the names.
        package func run(
            _ names: [String] = names, found: @escaping @Sendable (Finding) -> Void = { _ in }
        ) -> [Finding] {
            let bugs = names.compactMap { PlantedBug(name: $0) }
            return Threads.map(bugs.count, threads: threads) { index in
                let finding = search(bugs[index])
                found(finding)
                return finding
            }
        }

        private func search(_ bug: PlantedBug) -> Finding {
            // What needs many steps one after the other shows in long histories alone.
            for number in 0..<(2 * bound) {
                let seed = firstSeed + UInt64(number % bound)
                let size = number < bound ? size : 2 * size
                // All kinds of worlds in turn: which one shows a bug is not known beforehand.
                let profile = History.Profile.inTurn(seed)
                let history = History(seed: seed, size: size, profile: profile)
                guard let violation = Simulation.violation(of: history, with: bug),
                    Simulation.run(history).violation == nil
                else { continue }
                return Finding(
                    bug: bug.name, histories: number + 1, profile: profile, seed: seed,
                    size: size, violation: violation)
            }
            return Finding(
                bug: bug.name, histories: nil, profile: .random, seed: firstSeed, size: size,
                violation: nil)
        }
    }

    extension Simulation {
        /// What a history breaks when the program makes a mistake.
        static func violation(of history: History, with bug: PlantedBug) -> Violation? {
            PlantedBug.make(bug) { run(history).violation }
        }
    }
#endif
