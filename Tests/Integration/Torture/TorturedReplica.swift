import Foundation
import GRDB
import Moorage
import MoorageTesting
import MoorageWire
import TestSupport

/// A replica that pulls beside the writers and checks its rows each time that it caught up. It may
/// edit and push meanwhile.
final class TorturedReplica: @unchecked Sendable {
    // `@unchecked`: one task works on it at a time.
    struct Counts: Sendable {
        var caughtUp = 0
        var foreignKeyChecks = 0
        var busy = 0
        var pushed = 0
        var refused = 0
        var received = 0
        var entries = 0
    }

    let number: Int
    let isPushing: Bool
    /// The areas that its user sees.
    let areas: [Int]
    private let database: DatabasePool
    private let replica: Replica
    private var random: SeededGenerator
    private(set) var counts = Counts()
    private var tokens = 0

    /// - Parameter pageRows: Smaller pages make a scan longer while the writers go on.
    static func clone(
        number: Int, seed: UInt64, hub: ReplicaHub, path: String, pageRows: Int, isPushing: Bool,
        areas: [Int]
    ) async throws -> TorturedReplica {
        var options = ReplicaOptions()
        options.pageLimits.maximumRows = pageRows
        let end = ContinuousClock.now + Hang.limit
        var attempt = 1
        while true {
            let database = try DatabasePool(path: "\(path)-\(attempt)")
            do {
                let replica = try await Replica.clone(
                    into: database, from: hub, tables: TortureSchema.tables, options: options)
                return TorturedReplica(
                    number: number, seed: seed, database: database, replica: replica,
                    isPushing: isPushing, areas: areas)
            } catch let error as ReplicaError {
                // A file has one lock for all, so the hub may wait long for it.
                guard ContinuousClock.now < end, case .retry = error.recovery else { throw error }
                attempt += 1
            }
        }
    }

    private init(
        number: Int, seed: UInt64, database: DatabasePool, replica: Replica, isPushing: Bool,
        areas: [Int]
    ) {
        self.number = number
        self.isPushing = isPushing
        self.areas = areas
        self.database = database
        self.replica = replica
        random = SeededGenerator(seed: seed &* 77 &+ UInt64(number))
    }

    /// Runs one sync beside the writers.
    ///
    /// - Returns: The invariant that fails; `nil` when none does.
    func step() async throws -> String? {
        if isPushing { try edit() }
        guard try await sync() else { return nil }
        return try problem()
    }

    /// - Returns: Whether the replica caught up. It does not when the hub was busy.
    private func sync() async throws -> Bool {
        do {
            let summary = try await replica.sync()
            counts.pushed += summary.changesPushed
            counts.refused += summary.changesRefused
            counts.received += summary.rowsReceived
            if summary.isCaughtUp { counts.caughtUp += 1 }
            return summary.isCaughtUp
        } catch let error as ReplicaError {
            // The hub gives up a batch when others lock its rows for long, and reports that.
            guard case .retry = error.recovery else { throw error }
            counts.busy += 1
            return false
        }
    }

    /// Syncs until nothing is left to do, after the writers stopped.
    ///
    /// - Returns: What is left after 50 syncs; `nil` when nothing is.
    func converge() async throws -> String? {
        for _ in 0..<50 {
            if try await sync(), replica.status.pendingCount == 0,
                replica.status.deferredCount == 0
            {
                return nil
            }
        }
        return "replica \(number) does not come to rest: \(replica.status)"
    }

    func verify() async throws -> [RowDifference] { try await replica.verify() }

    // MARK: Invariants

    func problem() throws -> String? {
        try database.read { db in
            for promise in TortureSchema.promises {
                let rows = try Row.fetchAll(db, sql: promise.query)
                guard rows.isEmpty else {
                    return "replica \(number): \(promise.name): \(rows.prefix(3))"
                }
            }
            counts.foreignKeyChecks += 1
            let broken = try Row.fetchAll(db, sql: "PRAGMA foreign_key_check")
            return broken.isEmpty
                ? nil : "replica \(number): broken foreign keys: \(broken.prefix(3))"
        }
    }

    func rows(_ sql: String) throws -> [[String]] {
        try database.read { db in
            try Row.fetchAll(db, sql: sql).map { $0.databaseValues.map(\.ownerText) }
        }
    }

    // MARK: The user

    /// Runs a few transactions of the user. None of them changes a table that the promises check.
    private func edit() throws {
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            do {
                try database.write { db in
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        try db.execute(sql: statement())
                    }
                    counts.entries += 1
                    try db.execute(
                        sql: "INSERT INTO device_entry VALUES (?, ?, ?)",
                        arguments: [number, counts.entries, token()])
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                counts.entries -= 1
            }
        }
    }

    private func token() -> String {
        tokens += 1
        return "d\(number)-\(tokens)"
    }

    private func statement() -> String {
        let parent = Int.random(in: 1...TortureSchema.parents, using: &random)
        let child = Int.random(in: 1...TortureSchema.children, using: &random)
        // Some keys belong to the device, and all devices share the others.
        let new = random.chance(30) ? child : number * 100_000 + child
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<3: return "UPDATE parent SET note = '\(token())' WHERE id = \(parent)"
        case 3..<6: return "UPDATE child SET label = '\(token())' WHERE id = \(child)"
        case 6..<8:
            return """
                INSERT OR IGNORE INTO child SELECT \(new), id, '\(token())', 0 FROM parent
                WHERE id = \(parent)
                """
        case 8:
            return """
                INSERT OR IGNORE INTO grandchild SELECT \(new), id, '\(token())' FROM child
                WHERE id = \(child)
                """
        case 9:
            return """
                UPDATE child SET parent_id = \(parent) WHERE id = \(child)
                  AND EXISTS (SELECT 1 FROM parent WHERE id = \(parent))
                """
        case 10: return "DELETE FROM child WHERE id IN (\(child), \(new))"
        default:
            return random.chance(30)
                ? "DELETE FROM parent WHERE id = \(parent)"
                : """
                INSERT OR REPLACE INTO parent VALUES (
                  \(parent), \(random.pick(areas) ?? 1), '\(token())', NULL, NULL)
                """
        }
    }
}
