import Foundation
import GRDB
import Moorage

/// What the state of each row costs: a list that shows it, and the app's own writes.
struct RowStatesBenchmark {
    let plan: Plan
    let folder: URL

    private static let listed = 10_000

    private struct Line: FetchableRecord {
        let id: String
        let name: String
        let note: String?
        let quantity: Int?
        let flags: Int?
        let price: Double?
        let updatedAt: String?
        let state: RowState?

        init(row: Row) throws {
            id = try row.decode(forColumn: "id")
            name = try row.decode(forColumn: "name")
            note = try row.decode(forColumn: "note")
            quantity = try row.decode(forColumn: "quantity")
            flags = try row.decode(forColumn: "flags")
            price = try row.decode(forColumn: "price")
            updatedAt = try row.decode(forColumn: "updated_at")
            state = try row.decode(forColumn: "rowState")
        }
    }

    private struct Record: GRDB.TableRecord {
        static let databaseTableName = "item"
    }

    func run(_ report: Report) async throws {
        let items = Item.rows(max(plan.rows / 10, Self.listed), seed: 1)
        let plain = try await file(items, rowStates: false)
        let synced = try await file(items, rowStates: true)
        let some = try await file(items, rowStates: true)
        let all = try await file(items, rowStates: true)
        let listed = "SELECT id FROM item ORDER BY id LIMIT \(Self.listed)"
        let tenth = "SELECT id FROM item WHERE flags % \(max(1, items.count / Self.listed)) = 0"
        for (file, ids) in [(some, tenth), (all, listed)] {
            try await file.write {
                try $0.execute(sql: "UPDATE item SET quantity = 1 WHERE id IN (\(ids))")
            }
        }
        let rows = Record.order(Column("id")).limit(Self.listed)
        let null = rows.annotated(with: SQL("NULL").forKey("rowState")).asRequest(of: Line.self)
        let stated = rows.annotated(with: Record.rowState(key: ["id"])).asRequest(of: Line.self)
        try await report.group(
            "a list", rows: Self.listed, repetitions: plan.repetitions,
            [
                reading("rows, and a column of NULL", null, plain),
                reading("with states, none pending", stated, synced),
                reading("with states, 10,000 pending in the table", stated, some),
                reading("with states, each listed row pending", stated, all),
            ])
        try await write(report, items)
    }

    private func reading(
        _ name: String, _ request: QueryInterfaceRequest<Line>, _ file: DatabaseQueue
    ) -> Contender {
        Contender(name: name) { _ in
            _ = try await file.read { try request.fetchAll($0).count }
            return {
                for _ in 0..<20 { _ = try await file.read { try request.fetchAll($0).count } }
            }
        }
    }

    private func write(_ report: Report, _ items: [Item]) async throws {
        let ways = [("tracked", false), ("tracked, with states", true)]
        for (title, perTransaction) in [
            ("update of 10,000, one transaction", Self.listed), ("the same, 10 each", 10),
        ] {
            let contenders = ways.map { name, rowStates in
                Contender(name: name) { _ in
                    let file = try await self.file(items, rowStates: rowStates)
                    let some = Array(Item.shuffled(items, seed: 2).prefix(Self.listed))
                    let raw = try RawSQLite(file.path, cacheMegabytes: plan.cacheMegabytes)
                    return { try raw.update(some, rowsPerTransaction: perTransaction) }
                }
            }
            try await report.group(
                title, rows: Self.listed, repetitions: plan.repetitions, contenders)
        }
    }

    /// A replica's file with these rows, and nothing in its log.
    private func file(_ items: [Item], rowStates: Bool) async throws -> DatabaseQueue {
        let path = folder.appending(path: "\(UUID().uuidString).db").path
        let raw = try RawSQLite(path)
        try raw.run(Item.sqliteSchema)
        let queue = try DatabaseQueue(path: path)
        _ = try await Replica(
            database: queue, hub: .direct(NoHub()), tables: [.table("item", rowStates: rowStates)])
        try raw.run("INSERT INTO _moorage_applying SELECT 1")
        try raw.insert(items)
        try raw.run("DELETE FROM _moorage_applying")
        return queue
    }
}
