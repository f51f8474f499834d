import Foundation
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire
import TestSupport
import Testing

@testable import MoorageHub

/// Random histories of an office beside programs that read its changes, page by page. Each replays
/// what it reads, and has exactly the rows that its user may see in the end.
@Suite(.ownThreads) struct `Changes in random histories` {
    /// The night uses fresh seeds.
    private static let seeds: ClosedRange<UInt64> = {
        guard isNightly else { return 1...4 }
        let first = NightPlan.current.seed
        return first...first + 249
    }()

    @Test(arguments: seeds)
    func `are the rows when they are replayed`(seed: UInt64) async throws {
        let history = try ChangeHistory(seed: seed)
        for _ in 0..<200 { try await history.step() }
        try await history.finish()
    }
}

private final class ChangeHistory {
    private let bench: HubBench
    private var random: SeededGenerator
    private let names = ["ann", "bob", "carl"]
    private var programs: [FeedProgram] = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        bench = try HubBench(schema: Scopes.schema, scopes: Scopes.settings)
        for place in 0..<6 {
            let own = place < 3 ? [names[place]] : [names[place - 3], names[(place + 1) % 3]]
            var program = FeedProgram(
                bench.hub, as: Principal(subject: names[place % 3], claims: ["name": own]),
                limit: [1, 2, 3, 7, 1_000][number(0...4)])
            program.maximumBytes = [0, 20, 1_000_000][number(0...2)]
            programs.append(program)
        }
    }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private func person() -> String {
        number(0...5) == 0 ? "NULL" : "'\(names[number(0...2)])'"
    }

    func step() async throws {
        switch number(0...9) {
        case 0...5: try write([statement()])
        case 6: try write((0..<number(2...5)).map { _ in statement() })
        case 7: try bench.number()
        default:
            let place = number(0...(programs.count - 1))
            var program = programs[place]
            try await program.read()
            programs[place] = program
        }
    }

    /// Runs statements in one transaction, which is undone whole where one of them fails.
    private func write(_ statements: [String]) throws {
        do {
            try bench.timed {
                try bench.database.perform { connection in
                    try connection.begin(.write)
                    for statement in statements { _ = try connection.run(statement, []) }
                    try connection.commit()
                }
            }
        } catch let error as CentralError {
            // A duplicate key, or no such parent.
            guard case .refused = error.kind else { throw error }
        }
    }

    private func statement() -> String {
        let id = number(1...6)
        return switch number(0...12) {
        case 0, 1: "INSERT INTO project VALUES (\(id), \(person()), 'p', 'c\(number(1...9))')"
        case 2: "UPDATE project SET owner = \(person()) WHERE id = \(id)"
        case 3: "DELETE FROM project WHERE id = \(id)"
        case 4, 5: "INSERT INTO task VALUES (\(number(1...20)), \(id), 't')"
        case 6: "UPDATE task SET project = \(id) WHERE id % 5 = \(number(0...4))"
        case 7: "UPDATE task SET title = title || '.' WHERE id % 5 = \(number(0...4))"
        case 8: "INSERT INTO member VALUES (\(id), '\(names[number(0...2)])')"
        case 9: "DELETE FROM member WHERE project = \(id)"
        case 10: "REPLACE INTO project VALUES (\(id), \(person()), 'r', 'c\(number(1...9))')"
        case 11: "INSERT INTO memo VALUES (\(number(1...9)), 'team\(number(1...2))', 'm')"
        default:
            number(0...1) == 0
                ? "INSERT INTO seat VALUES ('team\(number(1...2))', '\(names[number(0...2)])')"
                : "DELETE FROM memo WHERE id = \(number(1...9))"
        }
    }

    func finish() async throws {
        for place in programs.indices {
            var program = programs[place]
            try await program.readAll()
            #expect(try await program.rows == program.visible(), "program \(place)")
        }
    }
}
