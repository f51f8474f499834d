import MoorageCore
import MoorageHub

/// Reading goes on behind a key as the connector returned it, whatever form that has.
extension ConnectorConformance {
    static let pagingChecks: [Check] =
        [
            PagedKeys("BIGINT", ["-7", "2", "12"]),
            PagedKeys("DECIMAL(10,3)", ["-1.5", "1.500", "9.25", "10"]),
            PagedKeys("DOUBLE PRECISION", ["-1.5", "0.1", "2", "1e300"]),
            PagedKeys("VARCHAR(40)", ["'B'", "'a'", "'a b'", "'é'"]),
            PagedKeys("CHAR(8)", ["'B'", "'a'", "'a b'"]),
            PagedKeys("DATE", ["'2026-01-05'", "'2026-01-12'", "'2026-10-01'"]),
            PagedKeys("TIME(6)", ["'09:05:00'", "'10:00:00'", "'10:00:00.500000'"]),
            PagedKeys(
                "TIMESTAMP(6)",
                [
                    "'2026-01-05 09:05:00'", "'2026-01-05 10:00:00'",
                    "'2026-01-05 10:00:00.500000'", "'2026-01-05 10:00:00.600000'",
                ]),
        ].map { keys in
            Check("reads on behind each key of type \(keys.type)") { try keys.check($0) }
        }
}

/// Keys of one type that are read one by one.
private struct PagedKeys {
    let type: String
    /// As SQL.
    let keys: [String]

    init(_ type: String, _ keys: [String]) {
        self.type = type
        self.keys = keys
    }

    func check(_ bench: ConformanceBench) throws {
        try bench.owner.execute(
            "CREATE TABLE paged (a INTEGER NOT NULL, b \(type) NOT NULL, PRIMARY KEY (a, b))")
        try bench.attach()
        let table = try bench.attached("paged")
        let start = try bench.checkpoint()
        let rows = [1, 2].flatMap { a in keys.map { "(\(a), \($0))" } }
        try bench.owner.execute("INSERT INTO paged VALUES \(rows.joined(separator: ", "))")
        let end = try bench.checkpoint()
        try bench.connection { connection in
            try ConformanceBench.inSnapshot(connection) {
                for query in [
                    TrackingQuery.fromNothing(copiedAt: nil, within: end),
                    .beyond(since: start, within: end), .all,
                ] {
                    let found = try tracked(table, query, connection)
                    try bench.expect(
                        Set(found).count == rows.count && found.count == rows.count,
                        "\(query): \(found.count) of \(rows.count) keys")
                }
                let found = try compared(table, connection)
                try bench.expect(
                    Set(found).count == rows.count && found.count == rows.count,
                    "\(found.count) of \(rows.count) keys to compare")
            }
        }
    }

    /// More would mean that rows come again.
    private var mostPages: Int { 3 * keys.count }

    private func tracked(
        _ table: AttachedTable, _ query: TrackingQuery, _ connection: any CentralConnection
    ) throws -> [RowKey] {
        var found: [RowKey] = []
        var position: TrackingPosition?
        for _ in 0..<mostPages {
            let content = try connection.content(
                table, columns: [0, 1], in: .everything, query, after: position, limit: 1)
            guard content.count > 0 else { break }
            found.append(table.description.key(content.keys[0]))
            position = TrackingPosition(
                version: query.isByVersion ? content.versions[0] ?? .max : 0,
                key: RowKey(content.keys[0]))
        }
        return found
    }

    private func compared(
        _ table: AttachedTable, _ connection: any CentralConnection
    ) throws -> [RowKey] {
        var found: [RowKey] = []
        var place: RowKey?
        for _ in 0..<mostPages {
            let rows = try connection.rows(
                table, after: place, limit: 1, in: ComparedScopes([.everything]), beyond: nil)
            guard let row = rows.first else { break }
            found.append(table.description.key(row.key.values))
            place = row.key
        }
        return found
    }
}

extension TrackingQuery {
    fileprivate var isByVersion: Bool { if case .beyond = self { true } else { false } }
}
