extension Report {
    /// What operations take of a server, of PostgreSQL and of the way.
    func costs(_ title: String, _ measured: [(name: String, times: Int, cost: Counters)]) {
        Self.write("\n### \(title)\n")
        Self.write(
            """
            | what | times | server CPU ms | PostgreSQL CPU ms | statements | transactions | \
            blocks hit | blocks read | tuples written | WAL bytes | bytes up | bytes down |
            """)
        Self.write("|---|---|---|---|---|---|---|---|---|---|---|---|")
        for (name, times, cost) in measured {
            let cells = [
                name, String(times), Self.text(cost.server * 1_000, 2),
                Self.text(cost.postgres * 1_000, 2),
                cost.statements.map { Self.text($0, 1) } ?? "–", Self.text(cost.transactions, 1),
                Self.text(cost.blocksHit, 0), Self.text(cost.blocksRead, 1),
                Self.text(cost.tuplesWritten, 1), Self.text(cost.walBytes, 0),
                Self.text(cost.bytesUp, 0), Self.text(cost.bytesDown, 0),
            ]
            Self.write("| " + cells.joined(separator: " | ") + " |")
        }
    }

    /// What is kept of each of several kinds of rows.
    func kept(_ title: String, _ measured: [(name: String, rows: Int, bytes: Int)]) {
        Self.write("\n### \(title)\n")
        Self.write("| what | rows | bytes | bytes a row |")
        Self.write("|---|---|---|---|")
        for (name, rows, bytes) in measured {
            let each = Self.text(Double(bytes) / Double(max(1, rows)), 0)
            Self.write("| \(name) | \(rows) | \(bytes) | \(each) |")
        }
    }
}
