import Foundation
import GRDB
import Moorage
import MoorageWire

/// What the triggers cost an app's own writes, on the C API, so that nothing else is measured.
struct TrackingBenchmark {
    let plan: Plan
    let folder: URL

    private enum Kind: String, CaseIterable {
        case insert, update, delete
    }

    func run(_ report: Report) async throws {
        let items = Item.rows(plan.rows, seed: 1)
        let ordered = items.sorted { $0.id < $1.id }
        try await compare(report, "insert, random keys, one transaction", .insert, items)
        try await compare(report, "insert, ascending keys, one transaction", .insert, ordered)
        try await compare(report, "update of 2 columns, one transaction", .update, items)
        try await compare(report, "delete, one transaction", .delete, items)
        for kind in Kind.allCases {
            try await compare(
                report, "\(kind.rawValue), a transaction for each row", kind,
                items, singles: plan.singles)
        }
    }

    private func compare(
        _ report: Report, _ title: String, _ kind: Kind, _ items: [Item], singles: Int? = nil
    ) async throws {
        let written = singles.map { Array(items.prefix($0)) } ?? items
        // Single inserts go into a table that holds the rest already.
        let present =
            kind != .insert ? items : singles.map { Array(items.dropFirst($0)) } ?? []
        let contenders = [false, true].map { isTracked in
            Contender(name: isTracked ? "tracked" : "untracked") { repetition in
                let path = folder.appending(path: "\(UUID().uuidString).db").path
                let file = try await file(path, isTracked: isTracked, holding: present)
                return {
                    let isSingle = singles != nil
                    switch kind {
                    case .insert: try file.insert(written, eachInATransaction: isSingle)
                    case .update: try file.update(written, eachInATransaction: isSingle)
                    case .delete: try file.delete(written, eachInATransaction: isSingle)
                    }
                }
            }
        }
        try await report.group(
            title, rows: written.count, repetitions: plan.repetitions, contenders)
    }

    private func file(
        _ path: String, isTracked: Bool, holding items: [Item]
    ) async throws -> RawSQLite {
        let file = try RawSQLite(path)
        try file.run(Item.sqliteSchema)
        if isTracked {
            _ = try await Replica(
                database: try DatabaseQueue(path: path), hub: .direct(NoHub()),
                tables: [.table("item")])
            // Rows that are there before anything is measured are in no log.
            try file.run("INSERT INTO _moorage_applying SELECT 1")
            try file.insert(items)
            try file.run("DELETE FROM _moorage_applying")
        } else {
            try file.insert(items)
        }
        try file.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return file
    }
}

/// Nobody is asked.
struct NoHub: HubConnection {
    private let error = HubError(.unreachable, "There is no hub.")

    func exchange(
        _ request: ExchangeRequest, receive: @Sendable (Frame) async throws -> Void
    ) async throws { throw error }

    func schema() async throws -> SchemaAnswer { throw error }
    func compare(_ request: CompareRequest) async throws -> CompareAnswer { throw error }
}
