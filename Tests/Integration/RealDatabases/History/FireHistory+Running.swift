import Foundation
import MoorageTesting

extension FireHistory {
    /// Runs a seed's history in a world of its own.
    ///
    /// - Parameter make: Makes the central database. It may use the folder for files.
    /// - Returns: The invariants that fail.
    static func run(
        _ seed: UInt64, _ report: inout FireReport, on make: (URL) throws -> any FireCentre
    ) async throws -> [String] {
        let history = FireHistory(seed: seed, length: 60)
        return try await FileManager.withTemporaryFolder("fire", in: ScratchFolder.parent) {
            folder in
            let centre = try make(folder)
            var problems: [String]
            do {
                problems = try await FireWorld.run(
                    centre, seed: seed, settings: history.settings, folder: folder
                ) { world in
                    for step in history.steps { try await step.run(in: world) }
                    let problems = try await world.problemsAtRest()
                    report.add(world, problems: problems)
                    return problems
                }
            } catch {
                problems = ["a history broke off: \(error)"]
            }
            // A history that broke off may leave the database down.
            try await centre.start()
            try centre.drop()
            if !problems.isEmpty { problems.append(history.story) }
            return problems
        }
    }

    private var story: String {
        """
        in a world of \(settings), after
        \(steps.map { "  \($0)" }.joined(separator: "\n"))
        """
    }
}
