import MoorageCore
import MoorageHub
import MoorageTesting
import MoorageWire
import Testing

/// What a drill begins with.
protocol DrillStage: SendableMetatype {
    init(_ world: World, _ seed: UInt64) async throws
}

extension DrillStage {
    static func run(
        _ kind: CentreKind, _ seed: UInt64,
        _ drill: @escaping @Sendable (inout Self) async throws -> Void
    ) async throws {
        try await World.run(kind, schema: DrillLedger.schema, tables: [DrillLedger.table]) {
            world in
            var stage = try await Self(world, seed)
            try await drill(&stage)
        }
    }
}

/// What people wrote in a drill, each in rows that nobody else writes. What is there at the end must
/// be there everywhere, and nothing else.
struct DrillLedger {
    static let table = "note"
    static let schema = ["CREATE TABLE note (id TEXT NOT NULL PRIMARY KEY, body TEXT)"]

    private var random: SeededGenerator
    private var expected: [String: String] = [:]
    /// The rows that each writer may still change.
    private var rows: [String: [String]] = [:]
    private var count = 0

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Some changes of a writer, as SQL. The last one inserts a row.
    mutating func changes(by writer: String, _ count: Int = 6) -> String {
        var changes: [String] = []
        while changes.count < count - 1 { changes.append(change(by: writer)) }
        return (changes + [insert(by: writer)]).joined(separator: " ")
    }

    private mutating func change(by writer: String) -> String {
        let own = rows[writer, default: []]
        guard let row = random.pick(own), random.chance(60) else { return insert(by: writer) }
        if random.chance(40) { return delete(row) }
        let body = text()
        expected[row] = body
        return "UPDATE note SET body = '\(body)' WHERE id = '\(row)';"
    }

    private mutating func insert(by writer: String) -> String {
        let row = "\(writer)-\(count)"
        let body = text()
        rows[writer, default: []].append(row)
        expected[row] = body
        return "INSERT INTO note (id, body) VALUES ('\(row)', '\(body)');"
    }

    /// No two texts are the same.
    private mutating func text() -> String {
        count += 1
        return "\(count), \(random.below(1_000))"
    }

    /// Deletes a row, whoever wrote it. Nobody changes it afterwards.
    mutating func delete(_ row: String) -> String {
        expected[row] = nil
        forget(row)
        return "DELETE FROM note WHERE id = '\(row)';"
    }

    /// Nobody has the row any more, so nobody can bring it back.
    mutating func lose(_ row: String) {
        expected[row] = nil
        forget(row)
    }

    private mutating func forget(_ row: String) {
        for writer in rows.keys { rows[writer]?.removeAll { $0 == row } }
    }

    /// Nobody changes the rows that there are.
    mutating func freeze() { rows = [:] }

    /// The newest row of a writer.
    func row(of writer: String) throws -> String { try #require(rows[writer]?.last) }

    /// How the central database differs from what is expected.
    func differences(from world: World) async throws -> [String] {
        let schema = try await world.hub.schema().schema
        let table = try #require(schema.table(named: Self.table))
        let id = try #require(table.column(named: "id"))
        let body = try #require(table.column(named: "body"))
        var found: [String: String] = [:]
        for row in try world.centre.rows(table) {
            if case .text(let id) = row[id], case .text(let body) = row[body] { found[id] = body }
        }
        let keys = Set(found.keys).union(expected.keys).sorted()
        return keys.filter { found[$0] != expected[$0] }.map {
            "\($0) is \(found[$0] ?? "missing"), not \(expected[$0] ?? "gone")"
        }
    }
}
