/// Two of the owner's programs, which run one statement at a time. Each writes both rows of a pair
/// in one transaction, and one transaction stays open while the other one commits.
///
/// `@unchecked Sendable`: one task at a time uses it.
final class OwnersScript: @unchecked Sendable {
    private enum Writer: CaseIterable {
        case late, early
    }

    static let schema = [
        "CREATE TABLE pair_left (id bigint NOT NULL PRIMARY KEY, token VARCHAR(20) NOT NULL)",
        "CREATE TABLE pair_right (id bigint NOT NULL PRIMARY KEY, token VARCHAR(20) NOT NULL)",
        "INSERT INTO pair_left VALUES (1, 'first'), (2, 'first'), (3, 'first'), (4, 'first')",
        "INSERT INTO pair_right VALUES (1, 'first'), (2, 'first'), (3, 'first'), (4, 'first')",
    ]

    private static let steps: [(writer: Writer, sql: String)] = [
        (.early, "BEGIN"),
        (.early, "UPDATE pair_left SET token = 'early' WHERE id = 1"),
        (.late, "BEGIN"),
        (.late, "UPDATE pair_left SET token = 'late' WHERE id = 2"),
        (.late, "INSERT INTO pair_left VALUES (5, 'late')"),
        (.late, "DELETE FROM pair_left WHERE id = 3"),
        (.late, "INSERT INTO pair_right VALUES (5, 'late')"),
        (.late, "UPDATE pair_right SET token = 'late' WHERE id = 2"),
        (.late, "DELETE FROM pair_right WHERE id = 3"),
        // This transaction began later and commits first.
        (.late, "COMMIT"),
        (.late, "BEGIN"),
        (.late, "UPDATE pair_right SET token = 'undone' WHERE id = 2"),
        (.early, "INSERT INTO pair_right VALUES (6, 'early')"),
        (.early, "UPDATE pair_right SET token = 'early' WHERE id = 1"),
        (.late, "ROLLBACK"),
        (.early, "INSERT INTO pair_left VALUES (6, 'early')"),
        (.early, "COMMIT"),
    ]

    private let sessions: [Writer: any OwnerSession]
    private var rest: ArraySlice<(writer: Writer, sql: String)>

    init(_ centre: any Centre) throws {
        sessions = try [.late: centre.openSession(), .early: centre.openSession()]
        // A file has one writer at a time, so there the transactions follow each other.
        let steps =
            centre.kind == .sqlite
            ? Writer.allCases.flatMap { writer in Self.steps.filter { $0.writer == writer } }
            : Self.steps
        rest = steps[...]
    }

    var isOver: Bool { rest.isEmpty }

    /// Runs the next statement, if there is one.
    ///
    /// - Returns: The writer and its statement.
    @discardableResult
    func next() throws -> String {
        guard let step = rest.popFirst() else { return "nothing" }
        try sessions[step.writer]?.run(step.sql)
        return "\(step.writer): \(step.sql)"
    }
}
