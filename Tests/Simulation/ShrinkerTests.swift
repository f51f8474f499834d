import TestSupport
import Testing

@testable import MoorageTesting

@Suite(.ownThreads) struct `A shrinker` {
    /// Broken as soon as the centre has a row that a device inserted into `parent`, and a user
    /// deleted a child: two steps, an exchange, and what they need.
    private func isBroken(_ history: History) -> Bool {
        var isDeleted = false
        let result = Simulation.run(history) { simulation in
            let rows = try simulation.centre.write { try $0.rawRows("SELECT 1 FROM parent") }
            isDeleted =
                isDeleted
                || history.steps.contains {
                    if case .edit(_, let sql) = $0.action {
                        sql.contains("DELETE FROM child")
                    } else {
                        false
                    }
                }
            if !rows.isEmpty, isDeleted { throw Violation(.planted, "found") }
        }
        return result.violation?.oracle == .planted
    }

    @Test func `keeps what breaks the promise and nothing else`() async throws {
        let (found, isShortBroken) = try await Threads.run { [self] in
            let history = (UInt64(1)...50).lazy
                .map { History(seed: $0, size: 80, profile: .plain) }.first(where: isBroken)
            guard let history else { return (nil as History?, false) }
            var shrinker = Shrinker(budget: 1500, isStillBroken: isBroken)
            let short = shrinker.shrink(history)
            return (short, isBroken(short))
        }
        let short = try #require(found)
        #expect(isShortBroken)
        #expect(short.steps.count <= 3, "\(short.text)")
        #expect(short.world.devices.count <= 2)
        #expect(try History(text: short.text) == short)
    }

    @Test func `takes nothing from a story whose every step is needed`() {
        let history = History(seed: 3, size: 12, profile: .plain)
        var shrinker = Shrinker(budget: 500) { $0.steps.count >= 12 }
        #expect(shrinker.shrink(history).steps.count == 12)
    }
}
