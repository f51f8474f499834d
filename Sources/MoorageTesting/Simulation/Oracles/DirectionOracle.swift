import MoorageCore
import MoorageWire

extension Page {
    /// Nothing comes down of a table that goes up only.
    func checkDirections(_ directions: [String: TableDirection]) throws {
        let names =
            tables.filter { !$0.rows.isEmpty }.map(\.table)
            + removals.filter { !$0.keys.isEmpty }.map(\.table)
        for name in names where directions[name]?.isReceived == false {
            throw Violation(.directions, "a page has rows of \(name), which goes up only")
        }
    }
}

extension JudgedPush {
    /// What comes down only is not changed by a device.
    ///
    /// - Returns: How many changes were refused for that.
    func checkDirections() throws -> Int {
        var refused = 0
        for (change, outcome) in pairs {
            guard centre.directions[change.table]?.acceptsChanges == false, !change.isQuestion
            else { continue }
            guard case .refused(let refusal) = outcome.kind, refusal.code == .readOnly else {
                throw Violation(
                    .directions,
                    "batch \(batch.number): a change of \(change.table), which comes down only, was not refused"
                )
            }
            refused += 1
        }
        return refused
    }
}
