import Foundation
import MoorageCore
import MoorageHub
import MooragePostgres
import MoorageREST
import MoorageSQLite

/// REST beside SQL that a program would send through the same pool, and whose JSON the database
/// itself makes. Neither goes through HTTP.
struct RESTBenchmark {
    let plan: Plan
    let folder: URL

    private static let pageRows = 100

    func run(_ report: Report) async throws {
        let items = Item.rows(min(plan.rows, 100_000), seed: 3)
        let central = folder.appending(path: "central.db").path
        try RawSQLite(central).run(Item.sqliteSchema)
        try RawSQLite(central).insert(items)
        try await compare(
            report, "SQLite", try SQLiteDatabase(path: central), items,
            page: """
                SELECT json_group_array(json_object('id', id, 'name', name, 'note', note,
                  'quantity', quantity, 'flags', flags, 'price', price, 'updated_at', updated_at))
                FROM (SELECT * FROM item WHERE id > ? ORDER BY id LIMIT \(Self.pageRows)) AS t
                """,
            row: """
                SELECT json_object('id', id, 'name', name, 'note', note, 'quantity', quantity,
                  'flags', flags, 'price', price, 'updated_at', updated_at)
                FROM item WHERE id = ?
                """)
        try await PostgresScratch.with(report, orNote: "no REST on PostgreSQL") { scratch in
            let link = try PostgresLink(scratch.url)
            try link.run(Item.postgresSchema)
            try link.upsert(items)
            try await compare(
                report, "PostgreSQL", try PostgresDatabase(url: scratch.url), items,
                page: """
                    SELECT json_agg(t)::text FROM
                      (SELECT * FROM item WHERE id > ? ORDER BY id LIMIT \(Self.pageRows)) AS t
                    """,
                row: "SELECT row_to_json(t)::text FROM item AS t WHERE id = ?")
        }
    }

    /// - Parameters:
    ///   - page: Rows behind a key, as one text of JSON.
    ///   - row: A row by its key, as one text of JSON.
    private func compare(
        _ report: Report, _ name: String, _ database: any CentralDatabase, _ items: [Item],
        page: String, row: String
    ) async throws {
        let hub = Hub(database: database)
        _ = try await hub.attach()
        let service = RESTService(hub: hub)
        let keys = Item.shuffled(items, seed: 4).prefix(2_000).map(\.id)
        let ordered = items.map(\.id).sorted()
        let pages = min(500, ordered.count / Self.pageRows)
        guard pages > 0 else { throw BenchmarkFailure("REST needs \(Self.pageRows) rows.") }
        let first = try await send(service, "GET", "/v1/tables/item?limit=1&sort=id")
        guard first.status == 200 else { throw BenchmarkFailure("REST answers \(first.status).") }
        try await report.group(
            "lists of \(Self.pageRows) rows, \(name)", rows: pages * Self.pageRows,
            repetitions: plan.repetitions,
            [
                Contender(name: "SQL, JSON by the database") { _ in
                    {
                        for number in 0..<pages {
                            let last = number == 0 ? "" : ordered[number * Self.pageRows - 1]
                            try await database.withConnection {
                                _ = try $0.run(page, [.text(last)])
                            }
                        }
                    }
                },
                Contender(name: "REST") { _ in
                    {
                        var after = ""
                        for _ in 0..<pages {
                            let target = "/v1/tables/item?limit=\(Self.pageRows)\(after)"
                            let response = try await send(service, "GET", target)
                            guard let next = Self.next(of: response) else { break }
                            after = "&after=\(next)"
                        }
                    }
                },
            ])
        report.latencies(
            "rows by their key, \(name)",
            [
                (
                    "SQL, a row",
                    try await times(keys) { key in
                        try await database.withConnection { _ = try $0.run(row, [.text(key)]) }
                    }
                ),
                (
                    "REST, a row",
                    try await times(keys) {
                        try await expect(200, service, "GET", "/v1/tables/item/\($0)")
                    }
                ),
            ])
        report.latencies(
            "updates, \(name)",
            [
                (
                    "SQL, an update",
                    try await times(keys) { key in
                        try await database.withConnection {
                            _ = try $0.run(
                                "UPDATE item SET quantity = quantity + 1 WHERE id = ?",
                                [.text(key)])
                        }
                    }
                ),
                (
                    "REST, an update",
                    try await times(keys) {
                        try await expect(
                            200, service, "PATCH", "/v1/tables/item/\($0)",
                            body: #"{"quantity":\#(Int.random(in: 1_000..<1_000_000))}"#)
                    }
                ),
            ])
    }

    /// The position that ends a page: reading it must not cost what parsing the rows does.
    private static func next(of response: RESTResponse) -> Substring? {
        let name = #""next":""#
        let end = String(decoding: response.body.suffix(1_000), as: UTF8.self)
        guard response.status == 200, let place = end.range(of: name) else { return nil }
        return end[place.upperBound...].prefix { $0 != "\"" }
    }

    private func times(
        _ keys: [String], _ work: (String) async throws -> Void
    ) async throws -> [Double] {
        var times: [Double] = []
        for key in keys {
            let start = ContinuousClock.now
            try await work(key)
            times.append(start.duration(to: .now) / .seconds(1))
        }
        return times
    }

    private func expect(
        _ status: Int, _ service: RESTService, _ method: String, _ target: String,
        body: String? = nil
    ) async throws {
        let response = try await send(service, method, target, body: body)
        guard response.status == status else {
            throw BenchmarkFailure("REST answers \(response.status).")
        }
    }

    private func send(
        _ service: RESTService, _ method: String, _ target: String, body: String? = nil
    ) async throws -> RESTResponse {
        let parts = target.split(separator: "?", maxSplits: 1)
        let request = RESTRequest(
            method: method, path: String(parts[0]),
            query: parts.count > 1 ? String(parts[1]) : nil,
            headers: body == nil ? [] : [("Content-Type", "application/json")],
            body: Array((body ?? "").utf8))
        guard let route = try RESTService.route(method: method, path: request.path) else {
            throw BenchmarkFailure("REST has no \(target).")
        }
        return try await service.respond(to: request, route: route, for: nil)
    }
}
