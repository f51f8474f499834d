import Foundation
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MooragePostgres

/// Not a gate: prints how the connector's sets compare with statements written by hand.
@Suite(
    .ownThreads,
    .enabled(
        if: PostgresServer.isAvailable
            && ProcessInfo.processInfo.environment["MOORAGE_SPEED"] != nil))
struct `The speed of sets` {
    @Test func `against an upsert of arrays written by hand`() throws {
        try PostgresServer.withDatabase { subject in
            let owner = try subject.session()
            try owner.execute(
                "CREATE TABLE t (id uuid PRIMARY KEY, a text, b text, n int, m int, r float8, at timestamptz)"
            )
            try subject.attach()
            let table = try subject.table("t")
            let (count, batch) = (50_000, 5_000)
            let rows: [[Value]] = (0..<count).map { number in
                [
                    .text(UUID().uuidString.lowercased()), .text("a text of twenty ch \(number)"),
                    .text("b text of twenty ch"), .integer(Int64(number)), .integer(7), .real(0.25),
                    .text("2024-05-01 10:00:00.123"),
                ]
            }
            let keys = rows.map { table.description.key(of: $0) }
            let batches = stride(from: 0, to: count, by: batch).map { $0..<($0 + batch) }
            let clock = ContinuousClock()
            func rate(_ name: String, _ work: () throws -> Void) rethrows -> Double {
                let seconds = try clock.measure(work) / .seconds(1)
                print("\(name): \(Int(Double(count) / seconds)) rows/s")
                return Double(count) / seconds
            }
            let sql = """
                INSERT INTO t SELECT x.i::uuid, x.a, x.b, x.n, x.m, x.r, x.at::timestamptz
                FROM unnest($1, $2, $3, $4, $5, $6, $7) AS x(i, a, b, n, m, r, at)
                ON CONFLICT (id) DO UPDATE SET a = excluded.a, b = excluded.b, n = excluded.n,
                  m = excluded.m, r = excluded.r, at = excluded.at
                """
            func byHand(_ change: String) throws {
                try owner.execute("BEGIN")
                for range in batches {
                    var parameters = Parameters()
                    for column in 0..<7 {
                        let kind: ArrayKind =
                            column == 5 ? .reals : [3, 4].contains(column) ? .integers : .texts
                        parameters.beginArray(kind, count: batch)
                        for index in range {
                            switch rows[index][column] {
                            case .integer(let number): parameters.append(number)
                            case .real(let number): parameters.append(number)
                            case .text(let text):
                                parameters.append(column == 1 ? text + change : text)
                            default: parameters.appendNull()
                            }
                        }
                        parameters.endArray()
                    }
                    try owner.query(sql, parameters)
                }
                try owner.execute("COMMIT")
            }
            for round in 1...3 {
                let change = "\(round)"
                try owner.execute("DELETE FROM t")
                let handInsert = try rate("by hand, insert") { try byHand(change) }
                let handUpdate = try rate("by hand, update") { try byHand(change + "x") }
                try owner.execute("DELETE FROM t")
                let insert = try rate("connector, insert") {
                    try subject.write { connection in
                        for range in batches {
                            try connection.insert(
                                table, columns: Array(0..<7), rows: Array(rows[range]))
                        }
                    }
                }
                let update = try rate("connector, lock and update") {
                    try subject.write { connection in
                        for range in batches {
                            _ = try connection.lockRows(table, keys: Array(keys[range]))
                            try connection.update(
                                table, columns: Array(1..<7),
                                rows: range.map {
                                    KeyedValues(
                                        key: keys[$0],
                                        values: [.text("changed \(change)")] + rows[$0].dropFirst(2)
                                    )
                                })
                        }
                    }
                }
                _ = try rate("connector, read") {
                    try subject.snapshot { connection in
                        for range in batches {
                            _ = try connection.rows(
                                table, keys: Array(keys[range]), in: [.everything])
                        }
                    }
                }
                print("insert \(insert / handInsert), lock and update \(update / handUpdate)")
            }
        }
    }
}
