public import Testing

extension NightPlan {
    /// A defect that shows in every round would only fill the log.
    private static let mostFailures = 3

    /// Runs rounds until the plan is over: at least one, and none after three that failed.
    ///
    /// - Parameters:
    ///   - what: What the rounds are of, for the log and for messages: "torture on SQLite".
    ///   - round: Takes the round's seed, and returns what is wrong.
    /// - Returns: How many rounds there were.
    @discardableResult
    public static func rounds(
        of what: String, sourceLocation: SourceLocation = #_sourceLocation,
        isolation: isolated (any Actor)? = #isolation, _ round: (UInt64) async throws -> [String]
    ) async -> Int {
        var (count, failures) = (0, 0)
        repeat {
            let seed = current.seed &+ UInt64(count)
            print("\(what): MOORAGE_SEED=\(seed)")
            let problems: [String]
            do {
                problems = try await round(seed)
            } catch {
                problems = ["it broke off: \(error)"]
            }
            if !problems.isEmpty {
                failures += 1
                let words = problems.prefix(20).joined(separator: "\n")
                Issue.record(
                    "\(what), MOORAGE_SEED=\(seed): \(problems.count) problems\n\(words)",
                    sourceLocation: sourceLocation)
            }
            count += 1
        } while !current.isOver && failures < mostFailures
        return count
    }
}
