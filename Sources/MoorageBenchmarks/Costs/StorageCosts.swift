import Foundation

/// What PostgreSQL keeps of a row, and of a device.
struct StorageCosts {
    typealias Line = (name: String, rows: Int, bytes: Int)

    let folder: URL
    private static let rows = 50_000
    private static let devices = 10_000

    func lines() async throws -> [Line] {
        var lines: [Line] = []
        for tenants in [0, 100] {
            let shape = CostShape(rows: Self.rows, tenants: tenants)
            try await CostWorld.with(shape, folder: folder) { world, _ in
                lines += try rows(world, tenants == 0 ? "one scope `*`" : "one scope `tenant/…`")
            }
        }
        let shape = CostShape(rows: 100, tenants: 100, devices: Self.devices)
        try await CostWorld.with(shape, folder: folder) { world, _ in
            for (table, what) in [
                ("moorage_registration", "a device, whose it is"),
                ("moorage_grant", "a device and a scope that it was given"),
                ("moorage_replica", "a device that has pushed, without its last outcomes"),
                ("moorage_batch", "a batch that was taken, for 90 days"),
            ] {
                let count = try Self.number("SELECT count(*) FROM \(table)", world)
                lines.append(("\(what): `\(table)`", count, try Self.size(table, world)))
            }
        }
        return lines
    }

    private func rows(_ world: CostWorld, _ name: String) throws -> [Line] {
        let found = try world.central.rows(
            """
            SELECT a.attrelid::regclass FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
            WHERE c.relkind = 'r' AND c.relname LIKE 'moorage%' AND a.attname = 'live_since'
            """)
        guard let track = found.first?.first else {
            throw BenchmarkFailure("There is no tracking table.")
        }
        var lines = [
            ("the owner's row, with its key's index", Self.rows, try Self.size("item_0", world))
        ]
        func add(_ what: String, _ count: Int) throws {
            try world.central.run("VACUUM ANALYZE \(track)")
            lines.append(("tracking, \(name): \(what)", count, try Self.size(track, world)))
        }
        try add("attached", Self.rows)
        for _ in 0..<5 { try world.central.run("UPDATE item_0 SET quantity = quantity + 1") }
        try add("each row edited 5 times, all at once", Self.rows)
        try world.central.run("DELETE FROM item_0")
        try add("each row deleted", Self.rows)
        try world.central.run("REINDEX TABLE \(track)")
        try world.central.run("VACUUM FULL \(track)")
        try add("the same without what is free", Self.rows)
        return lines
    }

    private static func size(_ table: String, _ world: CostWorld) throws -> Int {
        try number("SELECT pg_total_relation_size('\(table)')", world)
    }

    private static func number(_ query: String, _ world: CostWorld) throws -> Int {
        try world.central.rows(query).first?.first.flatMap { Int($0) } ?? 0
    }
}
