import Foundation
import MoorageHub

/// What the triggers cost the owner's own writes, in each database: two tables with the same rows, of which
/// one is tracked. What is left for later, as the numbering of MariaDB's and SQLite's changes, is not the owner's wait,
/// and not measured.
struct CentralBenchmark {
    let plan: Plan

    private static let singles = 2_000
    private static let statements = 10

    func run(_ report: Report) async throws {
        try await run(report, try SQLiteOwner())
        if let owner = try PostgresOwner() {
            try await run(report, owner)
        } else {
            report.note("MOORAGE_TEST_POSTGRES is not set: no owner's writes to PostgreSQL.")
        }
        if let owner = try MariaDBOwner() {
            try await run(report, owner)
        } else {
            report.note("MOORAGE_TEST_MARIADB is not set: no owner's writes to MariaDB.")
        }
    }

    private func run(_ report: Report, _ owner: any OwnersDatabase) async throws {
        do {
            try await measure(report, owner)
        } catch {
            try owner.remove()
            throw error
        }
        try owner.remove()
    }

    private func measure(_ report: Report, _ owner: any OwnersDatabase) async throws {
        for statement in owner.schema { try owner.run(statement) }
        try owner.run(owner.copy)
        for table in ["item", "plain"] { try owner.run(owner.insert(0..<plan.rows, into: table)) }
        _ = try await Hub(database: owner.central).attach(tables: ["item"])
        try owner.tidy()

        let some = max(1_000, plan.rows / 10)
        try await compare("update of 2 columns, one statement", some, report, owner) { table, _ in
            [
                """
                UPDATE \(table) SET name = \(owner.changedName), quantity = quantity + 1
                WHERE flags % 10 = 3
                """
            ]
        }
        func added(_ repetition: Int) -> Range<Int> {
            let first = plan.rows + repetition * some
            return first..<first + some
        }
        try await compare("insert, random keys, one statement", some, report, owner) {
            [owner.insert(added($1), into: $0)]
        }
        // Those that were inserted just now, which leaves the table as it was.
        try await compare("delete, one statement", some, report, owner) { table, repetition in
            [Self.delete(added(repetition), from: table)]
        }
        func parts(_ repetition: Int) -> [Range<Int>] {
            (0..<Self.statements).map { part in
                let first = plan.rows + (repetition * Self.statements + part) * 1_000
                return first..<first + 1_000
            }
        }
        let rows = Self.statements * 1_000
        try await compare("insert, 1,000 rows a statement", rows, report, owner) {
            table, repetition in
            parts(repetition).map { owner.insert($0, into: table) }
        }
        try await compare("update, 1,000 rows a statement", rows, report, owner) {
            table, repetition in
            parts(repetition).map {
                "UPDATE \(table) SET quantity = quantity + 1 WHERE \(Self.condition($0))"
            }
        }
        try await compare("delete, 1,000 rows a statement", rows, report, owner) {
            table, repetition in
            parts(repetition).map { Self.delete($0, from: table) }
        }
        try await compare("update, a transaction for each row", Self.singles, report, owner) {
            table, repetition in
            (0..<Self.singles).map {
                let row = ($0 * 7919 + repetition) % plan.rows
                return
                    "UPDATE \(table) SET quantity = quantity + 1 WHERE id = \(owner.key("\(row)"))"
            }
        }
    }

    private static func condition(_ numbers: Range<Int>) -> String {
        "flags >= \(numbers.lowerBound) AND flags < \(numbers.upperBound)"
    }

    private static func delete(_ numbers: Range<Int>, from table: String) -> String {
        "DELETE FROM \(table) WHERE \(condition(numbers))"
    }

    /// - Parameter statements: For a table and a repetition; each is a transaction.
    private func compare(
        _ title: String, _ rows: Int, _ report: Report, _ owner: any OwnersDatabase,
        _ statements: @escaping (String, Int) -> [String]
    ) async throws {
        let contenders = [("untracked", "plain"), ("tracked", "item")].map { name, table in
            Contender(name: name) { repetition in
                // What was written before is tidied up outside of what is measured.
                try owner.tidy()
                let statements = statements(table, repetition)
                return { for statement in statements { try owner.run(statement) } }
            }
        }
        try await report.group(
            "\(title), \(owner.name)", rows: rows, repetitions: plan.repetitions, contenders)
    }
}
