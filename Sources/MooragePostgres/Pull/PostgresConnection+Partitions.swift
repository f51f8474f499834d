import MoorageCore
import MoorageHub

/// Partitions that were dropped, detached, or attached with rows in them. No trigger fires for
/// their rows.
extension PostgresConnection {
    /// The server numbers its transactions itself. Before a page is read, this repairs the tracking
    /// rows of partitioned tables. It does so only where the schema has changed, and a table has
    /// other partitions than before.
    func numberChanges() throws {
        guard let stamp, stamp != partitionStamp else { return }
        let found = try partitions()
        if let found, found != (try storedPartitions()) {
            do {
                try repairPartitioned()
                try storePartitions(found)
            } catch let error as CentralError where error.kind == .conflict {
                // Removals that come a page later are still right.
                return
            }
        }
        partitionStamp = stamp
    }

    /// A digest of the partitions of the tracked tables; `nil` where no table is partitioned.
    private func partitions() throws -> String? {
        let answer = try link.simple(
            """
            SELECT md5(string_agg(concat_ws(',', c.oid, p.relid::oid), ';' ORDER BY c.oid, p.relid::oid))
            FROM pg_trigger AS g JOIN pg_class AS c ON c.oid = g.tgrelid
            CROSS JOIN LATERAL pg_partition_tree(c.oid) AS p
            WHERE c.relnamespace = \(schema.number) AND c.relkind = 'p' AND NOT c.relispartition
              AND g.tgname LIKE 'moorage\\_row\\_%'
            """)
        return answer.text(0, 0)
    }

    private static let fact = "partitions"

    private func storedPartitions() throws -> String? {
        let rows = try run(
            "SELECT value FROM \(schema.table("moorage_meta")) WHERE name = ?", [.text(Self.fact)])
        if case .text(let text)? = rows.first?.first { return text }
        return nil
    }

    private func storePartitions(_ text: String) throws {
        _ = try run(
            """
            INSERT INTO \(schema.table("moorage_meta")) (name, value) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
            """, [.text(Self.fact), .text(text)])
    }

    private func repairPartitioned() throws {
        let central = try readTables()
        for attached in try attachedTables() {
            guard try facts(of: attached.name).isPartitioned,
                let found = central.first(where: { $0.name.hasSameBytes(as: attached.name) }),
                case .supported(let description) = found.keyed(as: attached.description).support
            else { continue }
            let table = AttachedTable(number: attached.number, description: description)
            let sql = try trackingSQL(table)
            for step in [sql.fillMissingStep, sql.repairStep] { try runStep(step) }
        }
    }
}
