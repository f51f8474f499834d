import Foundation
import GRDB
import MoorageTesting
import TestSupport
import Testing

/// Tests the checkers themselves: an oracle that sees nothing finds nothing.
@Suite(.ownThreads) struct `The oracle of the real databases` {
    enum Sabotage: String, CaseIterable, CustomTestStringConvertible {
        case nothing, lostValue, undeletedRow, inventedValue, doubleInsert, doubleValue
        case missingRow, brokenReference, batchInFlight, changeInLog

        var testDescription: String { rawValue }

        /// What the oracle has to report.
        var finding: String? {
            switch self {
            case .nothing: nil
            case .lostValue: "lost: d1-"
            case .undeletedRow: "lost: device 1 deleted"
            case .inventedValue: "nobody committed"
            case .doubleInsert: "inserted more than once"
            case .doubleValue: "stored more than once"
            case .missingRow: "1 rows missing"
            case .brokenReference: "broken foreign keys"
            case .batchInFlight: "rows in _moorage_inflight"
            case .changeInLog: "rows in _moorage_log_parent"
            }
        }
    }

    @Test(arguments: Sabotage.allCases) func `sees`(sabotage: Sabotage) async throws {
        try await FileManager.withTemporaryFolder("oracle", in: ScratchFolder.parent) { folder in
            try await FileWorld.run(in: folder) { world in
                var random = SeededGenerator(seed: 4)
                while world.devices[0].ledger.deleted.isEmpty {
                    _ = try world.devices[0].edit(
                        statements: 10, known: FileWorld.known,
                        random: SeededGenerator(seed: random.next()))
                }
                try await world.converge()
                try Self.carryOut(sabotage, in: world)
                let problems = try await world.problems()
                if let finding = sabotage.finding {
                    #expect(problems.contains { $0.contains(finding) })
                } else {
                    #expect(problems.isEmpty)
                }
            }
        }
    }

    private static func carryOut(_ sabotage: Sabotage, in world: FileWorld) throws {
        let centre = try world.centre.open()
        let (guarded, unguarded) = (
            "INSERT INTO _moorage_applying VALUES (1)", "DELETE FROM _moorage_applying"
        )
        func onDevice(_ statements: String...) throws {
            try world.devices[0].wholeFile()?.queue.writeWithoutTransaction { db in
                for statement in statements { try db.execute(sql: statement) }
            }
        }
        switch sabotage {
        case .nothing: break
        case .lostValue: try centre.run("DELETE FROM audit WHERE token LIKE 'd1-%'")
        case .undeletedRow:
            // A set's order differs between processes.
            let deleted = world.devices[0].ledger.deleted
            let row = try #require(deleted.min { ($0.table, $0.id) < ($1.table, $1.id) })
            let above = FireSchema.above(row.table).map { "(SELECT min(id) FROM \($0)), " } ?? ""
            try centre.run(
                "INSERT INTO \(row.table) VALUES (\(row.id), \(above)'first-', 'first-')")
        case .inventedValue: try centre.run("INSERT INTO audit VALUES ('leaf', 1, 'note', 'x')")
        case .doubleInsert: try centre.run("UPDATE birth SET n = 2 WHERE tbl = 'leaf' AND id = 3")
        case .doubleValue:
            try centre.run("INSERT INTO audit SELECT * FROM audit WHERE token = 'first-p1'")
        case .missingRow:
            try onDevice(
                guarded, "DELETE FROM leaf WHERE id = (SELECT max(id) FROM leaf)", unguarded)
        case .brokenReference:
            try onDevice(
                "PRAGMA foreign_keys = OFF", guarded,
                "UPDATE leaf SET child_id = 999 WHERE id = (SELECT max(id) FROM leaf)", unguarded)
        case .batchInFlight:
            try onDevice("INSERT INTO _moorage_inflight VALUES (99, 'x', 0, x'')")
        case .changeInLog:
            try onDevice(
                "UPDATE parent SET note = note || '!' WHERE id = (SELECT min(id) FROM parent)")
        }
    }
}
