import Foundation
import GRDB
import MoorageCore
import MoorageTesting
import MoorageWire

@testable import Moorage

/// The real store of a device on a file in memory, driven by hand.
final class SimulatedReplica {
    let number: Int
    private(set) var database: DatabaseQueue
    private let store = ReplicaStore(tables: [.table("parent"), .table("child"), .table("node")])
    private let ids: SeededIDs
    private let pageRows: Int
    private(set) var caughtUp = 0
    private(set) var forks = 0

    init(number: Int, seed: UInt64, pageRows: Int) throws {
        self.number = number
        self.pageRows = pageRows
        ids = SeededIDs(seed: seed &* 31 &+ UInt64(number))
        database = try DatabaseQueue()
        try execute(World.schema)
        try database.writeWithoutTransaction { try store.open($0, newID: ids.next()) }
    }

    private var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// The user's own SQL; a constraint may refuse it.
    func execute(_ sql: String) throws {
        do {
            try database.writeWithoutTransaction { try $0.execute(sql: sql) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return
        }
    }

    func rows(_ sql: String) throws -> [[Value]] {
        try database.read { db in
            try Row.fetchAll(db, sql: sql).map { row in
                row.databaseValues.map { value in
                    switch value.storage {
                    case .null: .null
                    case .int64(let number): .integer(number)
                    case .double(let number): .real(number)
                    case .string(let text): .text(text)
                    case .blob(let data): .blob(Array(data))
                    }
                }
            }
        }
    }

    // MARK: An exchange, step by step

    func prepare(nonce: String) throws -> ExchangeRequest {
        try database.writeWithoutTransaction { db in
            var limits = BatchLimits()
            limits.maximumRows = pageRows * 2
            _ = try store.prepareBatch(db, limits: limits, now: now, nonce: nonce)
            return try store.request(
                db, now: now, limits: PageLimits(maximumRows: pageRows, maximumPages: 3)
            ).request
        }
    }

    /// Carries out what the exchange decided.
    func carryOut(_ effect: Exchange.Effect) throws {
        try database.writeWithoutTransaction { db in
            switch effect {
            case .none, .finish: break
            case .adopt(let welcome):
                try store.adopt(
                    db, hub: welcome.hub, schema: welcome.schema, limits: welcome.limits,
                    stopped: welcome.stopped)
            case .apply(let outcomes, let page):
                let result = try store.apply(db, outcomes: outcomes, page: page, now: now)
                if result.isCaughtUp { caughtUp += 1 }
            case .fork:
                forks += 1
                try store.fork(db, newID: ids.next())
            case .takeBack: try store.takeBack(db)
            case .reconcile: try store.reconcile(db, newID: ids.next(), now: now)
            case .readAnew: try store.readAnew(db)
            }
        }
    }

    func cursor() throws -> SyncCursor { try database.read { try Metadata(db: $0).cursor() } }

    /// Nothing to push, and no walk under way.
    func isQuiet() throws -> Bool {
        try database.read { db in
            let meta = Metadata(db: db)
            return try !store.hasNotes(db) && meta.inFlight() == nil && meta.cursor().walk == nil
                && meta.cursor().mark != nil
                && (try Int.fetchOne(db, sql: "SELECT count(*) FROM _moorage_waiting")) == 0
        }
    }

    func story() throws -> String {
        try database.read { db in
            let waiting = try Int.fetchOne(db, sql: "SELECT count(*) FROM _moorage_waiting") ?? 0
            return
                "replica \(number): notes \(try store.hasNotes(db)), waiting \(waiting), walk \(try Metadata(db: db).cursor().walk != nil)"
        }
    }

    // MARK: Backups

    func backUp() throws -> DatabaseQueue {
        let copy = try DatabaseQueue()
        try database.backup(to: copy)
        return copy
    }

    func restore(_ backup: DatabaseQueue) throws {
        let copy = try DatabaseQueue()
        try backup.backup(to: copy)
        database = copy
        try database.writeWithoutTransaction { try store.open($0, newID: ids.next()) }
    }
}
