import Foundation
import MoorageHub
import MooragePostgres

/// What the triggers cost the owner's own writes to PostgreSQL: two tables with the same rows, of which
/// one is tracked. A tenth of a table's rows is written at once.
struct CentralBenchmark {
    let plan: Plan

    private static let singles = 2_000

    func run(_ report: Report) async throws {
        guard let server = PostgresScratch.serverURL else {
            return report.note("MOORAGE_TEST_POSTGRES is not set: no owner's writes to PostgreSQL.")
        }
        let scratch = try PostgresScratch(server)
        do {
            try await run(report, scratch)
        } catch {
            try scratch.remove()
            throw error
        }
        try scratch.remove()
    }

    private func run(_ report: Report, _ scratch: PostgresScratch) async throws {
        let link = try PostgresLink(scratch.url)
        try link.run(Item.postgresSchema)
        try link.run(Self.rows(0..<plan.rows, into: "item"))
        try link.run("CREATE TABLE plain (LIKE item INCLUDING ALL)")
        try link.run("INSERT INTO plain SELECT * FROM item")
        _ = try await Hub(database: try PostgresDatabase(url: scratch.url)).attach(tables: ["item"])
        try link.run("VACUUM ANALYZE")

        let some = max(1, plan.rows / 10)
        try await compare("update of 2 columns, one statement", some, report, link) { table, _ in
            [
                """
                UPDATE \(table) SET name = reverse(name), quantity = quantity + 1
                WHERE flags % 10 = 3
                """
            ]
        }
        func added(_ repetition: Int) -> Range<Int> {
            let first = plan.rows + repetition * some
            return first..<first + some
        }
        try await compare("insert, random keys, one statement", some, report, link) {
            [Self.rows(added($1), into: $0)]
        }
        // Those that were inserted just now, which leaves the table as it was.
        try await compare("delete, one statement", some, report, link) { table, repetition in
            let range = added(repetition)
            return [
                "DELETE FROM \(table) WHERE flags >= \(range.lowerBound) AND flags < \(range.upperBound)"
            ]
        }
        try await compare("update, a transaction for each row", Self.singles, report, link) {
            table, repetition in
            (0..<Self.singles).map {
                let row = ($0 * 7919 + repetition) % plan.rows
                return
                    "UPDATE \(table) SET quantity = quantity + 1 WHERE id = \(Self.key("\(row)"))"
            }
        }
    }

    /// - Parameter statements: For a table and a repetition; each is a transaction.
    private func compare(
        _ title: String, _ rows: Int, _ report: Report, _ link: PostgresLink,
        _ statements: @escaping (String, Int) -> [String]
    ) async throws {
        let contenders = [("untracked", "plain"), ("tracked", "item")].map { name, table in
            Contender(name: name) { repetition in
                // What was written before is tidied up outside of what is measured.
                try link.run("VACUUM")
                let statements = statements(table, repetition)
                return { for statement in statements { try link.run(statement) } }
            }
        }
        try await report.group(
            "\(title), PostgreSQL", rows: rows, repetitions: plan.repetitions, contenders)
    }

    /// Rows made by the server, with `flags` as their number and keys in no order.
    private static func rows(_ numbers: Range<Int>, into table: String) -> String {
        """
        INSERT INTO \(table)
        SELECT \(key("i::text")), 'alpha river stone ' || i % 10, 'green table order ' || i % 7, i % 1000,
               i, i / 100.0, '2026-03-11T08:10:07.123Z'
        FROM generate_series(\(numbers.lowerBound), \(numbers.upperBound - 1)) AS i
        """
    }

    private static func key(_ text: String) -> String { "md5((\(text))::text)::uuid::text" }
}
