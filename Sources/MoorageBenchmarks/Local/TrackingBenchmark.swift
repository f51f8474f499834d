import Foundation
import GRDB
import Moorage
import MoorageWire

/// What the triggers cost an app's own writes, on the C API, so that nothing else is measured. A tenth
/// of a table's rows is updated or deleted, in no order.
struct TrackingBenchmark {
    let plan: Plan
    let folder: URL

    private enum Kind: String, CaseIterable {
        case insert, update, delete
    }

    func run(_ report: Report) async throws {
        let items = Item.rows(plan.rows + plan.singles, seed: 1)
        let present = Array(items.prefix(plan.rows))
        let mixed = Item.shuffled(present, seed: 2)
        let some = Array(mixed.prefix(max(1, plan.rows / 10)))
        let bases = try await Bases(folder: folder, rows: present)
        try await compare(
            report, "insert, random keys, one transaction", .insert, present, bases.empty)
        try await compare(
            report, "insert, ascending keys, one transaction", .insert,
            present.sorted { $0.id < $1.id }, bases.empty)
        try await compare(
            report, "update of 2 columns, one transaction", .update, some, bases.filled)
        try await compare(report, "delete, one transaction", .delete, some, bases.filled)
        for kind in Kind.allCases {
            let written =
                kind == .insert
                ? Array(items.suffix(plan.singles)) : Array(mixed.suffix(plan.singles))
            try await compare(
                report, "\(kind.rawValue), a transaction for each row", kind, written,
                bases.filled, eachInATransaction: true)
        }
    }

    private func compare(
        _ report: Report, _ title: String, _ kind: Kind, _ written: [Item], _ base: Bases.Pair,
        eachInATransaction isSingle: Bool = false
    ) async throws {
        let ways = [("untracked", base.untracked), ("tracked", base.tracked)]
        let contenders = ways.map { name, base in
            Contender(name: name) { _ in
                let path = folder.appending(path: "\(UUID().uuidString).db")
                try FileManager.default.copyItem(at: base, to: path)
                let file = try RawSQLite(path.path, cacheMegabytes: plan.cacheMegabytes)
                return {
                    switch kind {
                    case .insert: try file.insert(written, rowsPerTransaction: isSingle ? 1 : .max)
                    case .update: try file.update(written, rowsPerTransaction: isSingle ? 1 : .max)
                    case .delete: try file.delete(written, rowsPerTransaction: isSingle ? 1 : .max)
                    }
                }
            }
        }
        try await report.group(
            title, rows: written.count, repetitions: plan.repetitions, contenders)
    }
}

/// Files that each repetition begins with a copy of.
private struct Bases {
    struct Pair {
        let untracked: URL
        let tracked: URL
    }

    let empty: Pair
    let filled: Pair

    init(folder: URL, rows: [Item]) async throws {
        func pair(_ rows: [Item]) async throws -> Pair {
            Pair(
                untracked: try await Self.file(folder, isTracked: false, holding: rows),
                tracked: try await Self.file(folder, isTracked: true, holding: rows))
        }
        empty = try await pair([])
        filled = try await pair(rows)
    }

    private static func file(
        _ folder: URL, isTracked: Bool, holding items: [Item]
    ) async throws -> URL {
        let path = folder.appending(path: "\(UUID().uuidString).db")
        let file = try RawSQLite(path.path)
        try file.run(Item.sqliteSchema)
        if isTracked {
            _ = try await Replica(
                database: try DatabaseQueue(path: path.path), hub: .direct(NoHub()),
                tables: [.table("item")])
            // Rows that are there before anything is measured are in no log.
            try file.run("INSERT INTO _moorage_applying SELECT 1")
            try file.insert(items)
            try file.run("DELETE FROM _moorage_applying")
        } else {
            try file.insert(items)
        }
        try file.run("PRAGMA wal_checkpoint(TRUNCATE)")
        return path
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
