#if PLANTED_BUGS && (Server || Tools)
    import Foundation
    import MoorageTesting

    /// Planted bugs are looked for in random histories.
    extension Simulate {
        func findPlantedBugs() throws {
            let search = PlantedBugSearch(
                firstSeed: seed, bound: count ?? 2000, size: size ?? 100, threads: threads)
            let names = bugs.map { $0.split(separator: ",").map(String.init) }
            let findings = search.run(names ?? PlantedBugSearch.names) { print(line(of: $0)) }
            if let keep { try keepStories(of: findings, in: keep) }
            let missed = findings.filter { $0.histories == nil }.map(\.bug)
            let hidden = missed.filter { !PlantedBugSearch.shownByStoriesAlone.contains($0) }
            guard hidden.isEmpty, !findings.isEmpty else {
                throw SimulatorFailure(
                    """
                    Not found within \(search.bound) histories, and as many twice as long: \
                    \(hidden.joined(separator: ", ")).
                    """
                )
            }
            print("\(findings.count) planted bugs, \(findings.count - missed.count) found")
        }

        private func line(of finding: PlantedBugSearch.Finding) -> String {
            guard let histories = finding.histories, let violation = finding.violation else {
                let isRare = PlantedBugSearch.shownByStoriesAlone.contains(finding.bug)
                return "\(finding.bug): not found\(isRare ? ", as before: its story shows it" : "")"
            }
            return """
                \(finding.bug): \(histories) histories, noticed by \(violation.oracle.rawValue), seed \
                \(finding.seed), \(finding.profile.rawValue), \(finding.size) steps
                """
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
    }
#endif
