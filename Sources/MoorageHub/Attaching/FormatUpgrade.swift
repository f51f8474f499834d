import MoorageCore

/// Upgrades Moorage's own tables of an earlier format, after the new ones were made. Every step can
/// be repeated. Some databases commit each statement that drops a table, so an attach can end
/// between two.
struct FormatUpgrade {
    let connection: any CentralConnection

    func run() throws {
        try copy(
            "moorage_mark", ["position", "mark", "at"], key: ["position"],
            to: "moorage_checkpoint", ["position", "checkpoint", "at"])
        let grant = ["replica", "scope", "subject", "since", "lost_at"]
        try copy(
            "moorage_given", grant, key: ["replica", "scope"], to: "moorage_grant", grant)
        let metadata = Metadata(connection: connection)
        if let secret = try metadata.value("seal") {
            try metadata.set("cursor_secret", secret)
            _ = try connection.run("DELETE FROM moorage_meta WHERE name = ?", [.text("seal")])
        }
    }

    /// Moves a table's rows to its successor.
    private func copy(
        _ old: String, _ oldColumns: [String], key: [String], to new: String,
        _ newColumns: [String]
    ) throws {
        guard try connection.hasOwnTable(old) else { return }
        let isThere = key.map { "n.\($0) = o.\($0)" }.joined(separator: " AND ")
        _ = try connection.run(
            """
            INSERT INTO \(new) (\(newColumns.joined(separator: ", ")))
            SELECT \(oldColumns.map { "o.\($0)" }.joined(separator: ", ")) FROM \(old) AS o
            WHERE NOT EXISTS (SELECT 1 FROM \(new) AS n WHERE \(isThere))
            """, [])
        try connection.runStep("DROP TABLE \(old)")
    }
}
