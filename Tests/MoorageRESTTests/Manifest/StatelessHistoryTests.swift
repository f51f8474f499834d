import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageREST

@Suite(.ownThreads) struct `A random history of a client that tracks nothing` {
    private typealias Row = StatelessClient.Row

    private static let schema =
        "CREATE TABLE note (id INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL);"

    private func central(_ bench: RESTBench) throws -> [Int: String] {
        let rows = try bench.rows("SELECT id, name FROM note")
        return Dictionary(
            uniqueKeysWithValues: rows.compactMap { row in
                guard case .integer(let id) = row[0], case .text(let name) = row[1] else {
                    return nil
                }
                return (Int(id), name)
            })
    }

    private func way(_ random: inout SplitMix64) -> StatelessClient.Way {
        StatelessClient.Way(
            chunk: Int.random(in: 3...12, using: &random),
            limit: Int.random(in: 1...12, using: &random),
            comparesRanges: Bool.random(using: &random))
    }

    /// What the client does between two exchanges.
    private func change(_ client: inout StatelessClient, _ random: inout SplitMix64) {
        let id = Int.random(in: 1...30, using: &random)
        let name = "c\(Int.random(in: 0...9, using: &random))"
        guard var row = client.rows[id], !row.isDeleted else {
            if client.rows[id] == nil { client.rows[id] = Row(name: name, isChanged: true) }
            return
        }
        if Int.random(in: 0...2, using: &random) == 0 {
            row.isDeleted = true
            client.rows[id] = row.version == nil ? nil : row
        } else {
            row.name = name
            row.isChanged = true
            client.rows[id] = row
        }
    }

    /// What other programs do meanwhile.
    private func changeCentrally(_ bench: RESTBench, _ random: inout SplitMix64) throws {
        let id = Int.random(in: 1...30, using: &random)
        let name = "h\(Int.random(in: 0...9, using: &random))"
        switch Int.random(in: 0...2, using: &random) {
        case 0: try bench.sql("DELETE FROM note WHERE id = \(id)")
        default:
            try bench.sql(
                """
                INSERT INTO note VALUES (\(id), '\(name)')
                ON CONFLICT (id) DO UPDATE SET name = excluded.name
                """)
        }
    }

    /// What both have after an exchange in which nothing came in between.
    private func expected(
        _ client: [Int: Row], _ central: [Int: String], base: [Int: String],
        tombstones: Set<Int>, _ winner: StatelessClient.Winner
    ) -> [Int: String] {
        var result: [Int: String] = [:]
        for id in Set(client.keys).union(central.keys) {
            let row = client[id]
            let own = row.flatMap { $0.isDeleted ? nil : $0.name }
            let isChanged = row.map { $0.isChanged || $0.isDeleted } ?? false
            if !isChanged || own == central[id] {
                result[id] = central[id]
            } else if row?.version != nil, central[id] == base[id] {
                result[id] = own
            } else if row?.version == nil, central[id] == nil, !tombstones.contains(id) {
                result[id] = own
            } else {
                result[id] = winner == .client ? own : central[id]
            }
        }
        return result
    }

    @Test(arguments: UInt64(1)...25)
    func `ends with the same rows on both sides`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let bench = try await RESTBench(schema: Self.schema)
        var client = StatelessClient()
        var hasLost = false
        // Whose keys had a row, so that the hub has a tombstone where there is none now.
        var known: Set<Int> = []
        for _ in 1...12 {
            let base = try central(bench)
            for _ in 0..<Int.random(in: 0...8, using: &random) { change(&client, &random) }
            for _ in 0..<Int.random(in: 0...8, using: &random) {
                try changeCentrally(bench, &random)
                known.formUnion(try central(bench).keys)
            }
            let way = way(&random)
            let winner = StatelessClient.Winner.allCases.randomElement(using: &random) ?? .hub
            let differences = try await client.differences(bench, way)
            let before = (client.rows, try central(bench))
            let isDisturbed = Int.random(in: 0...3, using: &random) == 0
            if isDisturbed { try changeCentrally(bench, &random) }
            let isLost = Int.random(in: 0...4, using: &random) == 0
            try await client.synchronise(bench, differences, winner, isAnswerLost: isLost)
            if !isDisturbed, !isLost, !hasLost {
                let goal = expected(before.0, before.1, base: base, tombstones: known, winner)
                let rows = try central(bench)
                #expect(rows == goal, "seed \(seed)")
            }
            hasLost = isDisturbed || isLost
            known.formUnion(try central(bench).keys)
        }
        for _ in 1...2 {
            let differences = try await client.differences(bench, way(&random))
            try await client.synchronise(bench, differences, .client)
        }
        let rows = try central(bench)
        #expect(client.rows.mapValues(\.name) == rows, "seed \(seed)")
        #expect(client.rows.values.allSatisfy { !$0.isChanged && !$0.isDeleted })
        let rest = try await client.differences(bench, way(&random))
        #expect(rest.keys.values.allSatisfy { $0.isEmpty }, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...10)
    func `of two clients of one user ends with the same rows, too`(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let bench = try await RESTBench(schema: Self.schema)
        var clients = [StatelessClient(), StatelessClient()]
        for _ in 1...10 {
            for place in clients.indices {
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    change(&clients[place], &random)
                }
            }
            let ways = [way(&random), way(&random)]
            // Both compare before either writes.
            let first = try await clients[0].differences(bench, ways[0])
            let second = try await clients[1].differences(bench, ways[1])
            try await clients[0].synchronise(bench, first, .client)
            try await clients[1].synchronise(bench, second, .client)
        }
        for _ in 1...3 {
            for place in clients.indices {
                let differences = try await clients[place].differences(bench, way(&random))
                try await clients[place].synchronise(bench, differences, .client)
            }
        }
        let rows = try central(bench)
        for client in clients {
            #expect(client.rows.mapValues(\.name) == rows, "seed \(seed)")
        }
    }

    @Test func `costs a request for a table in which nothing changed`() async throws {
        let bench = try await RESTBench(schema: Self.schema)
        try bench.sql(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
            INSERT INTO note SELECT i, 'n' || i FROM n;
            """)
        let way = StatelessClient.Way(chunk: 20, limit: 10_000, comparesRanges: true)
        var client = StatelessClient()
        try await client.synchronise(bench, client.differences(bench, way), .hub)
        #expect(client.rows.count == 300)
        let none = try await client.differences(bench, way)
        #expect(none.requests == 1)
        try bench.sql("UPDATE note SET name = 'x' WHERE id = 150")
        let differences = try await client.differences(bench, way)
        #expect(differences.requests == 2 && differences[.newerHere] == [150])
    }
}
