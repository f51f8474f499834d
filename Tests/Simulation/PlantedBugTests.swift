#if PLANTED_BUGS
    import Foundation
    import MoorageCore
    import TestSupport
    import Testing

    @testable import MoorageTesting

    /// The checker is checked: mistakes that were made once are made again, each in a history that
    /// shows it.
    @Suite(.ownThreads) struct `A planted bug` {
        @Test(arguments: PlantedBug.allCases)
        func `breaks a promise in its history, and nothing else does`(bug: PlantedBug) async throws
        {
            let file = try #require(
                Bundle.module.url(
                    forResource: bug.name, withExtension: "history", subdirectory: "Planted"),
                "no history is known that shows \(bug.name)")
            let history = try History(text: String(contentsOf: file, encoding: .utf8))
            let (with, without) = try await Threads.run {
                (Simulation.violation(of: history, with: bug), Simulation.run(history).violation)
            }
            #expect(with != nil)
            #expect(without == nil)
        }

        @Test func `is looked for until it is found`() async throws {
            let search = PlantedBugSearch(firstSeed: 1, bound: 5, size: 60)
            let findings = try await Threads.run {
                search.run([PlantedBug.noTombstone.name, "nothing"])
            }
            let finding = try #require(findings.first)
            #expect(findings.count == 1)
            let story = History(
                seed: finding.seed, size: finding.size, profile: finding.profile)
            let violation = try await Threads.run {
                Simulation.violation(of: story, with: .noTombstone)
            }
            #expect(violation == finding.violation)
        }

        @Test func `that no search has found is one that there is`() {
            let names = Set(PlantedBugSearch.names)
            #expect(PlantedBugSearch.shownByStoriesAlone.isSubset(of: names))
        }

        @Test func `that never shows is told`() async throws {
            let search = PlantedBugSearch(firstSeed: 1, bound: 1, size: 1)
            let findings = try await Threads.run { search.run([PlantedBug.epochIgnored.name]) }
            #expect(findings.map(\.histories) == [nil])
        }
    }
#endif
