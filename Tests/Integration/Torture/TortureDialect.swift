/// The writers' statements where databases have other words for them.
struct TortureDialect {
    let kind: CentreKind

    /// What makes the database ready for several programs.
    var preparation: [String] { kind == .sqlite ? ["PRAGMA journal_mode = WAL"] : [] }

    /// How a transaction begins; seldom at another level than most.
    func begin(isUnusual: Bool) -> String {
        switch kind {
        // A transaction that reads first may find that it cannot write.
        case .sqlite: isUnusual ? "BEGIN" : "BEGIN IMMEDIATE"
        case .postgres: isUnusual ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN"
        // REPEATABLE READ is the usual one.
        case .mariadb:
            isUnusual ? "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN" : "BEGIN"
        }
    }

    /// How long a transaction is held open, in milliseconds: all others wait for SQLite's.
    var pause: ClosedRange<Int> { kind == .sqlite ? 5...30 : 100...350 }

    /// How often each of eight writers begins a transaction: together more than the 200 commits a second
    /// that are asked for, with something left of the machine for the replicas. In a file they have one
    /// lock between them, and it must be free now and then.
    var transactionsPerSecond: Double { kind == .sqlite ? 6 : 45 }

    /// An insert that an existing key makes nothing of.
    ///
    /// - Parameter source: `VALUES …`, or a query with a condition.
    func insertOrIgnore(_ table: String, _ source: String) -> String {
        kind == .mariadb
            ? "INSERT IGNORE INTO \(table) \(source)"
            : "INSERT INTO \(table) \(source) ON CONFLICT DO NOTHING"
    }

    /// An insert that sets a column of an existing row.
    func upsert(_ table: String, _ source: String, setting column: String) -> String {
        kind == .mariadb
            ? """
            INSERT INTO \(table) \(source) ON DUPLICATE KEY UPDATE \(column) = VALUES(\(column))
            """
            : """
            INSERT INTO \(table) \(source)
            ON CONFLICT (id) DO UPDATE SET \(column) = excluded.\(column)
            """
    }

    /// Hangs a row below another parent, if there is one.
    func move(_ table: String, _ id: Int, _ column: String, below parents: String, _ parent: Int)
        -> String
    {
        kind == .mariadb
            ? """
            UPDATE \(table) JOIN \(parents) ON \(parents).id = \(parent)
            SET \(table).\(column) = \(parents).id WHERE \(table).id = \(id)
            """
            : """
            UPDATE \(table) SET \(column) = p.id FROM \(parents) p
            WHERE p.id = \(parent) AND \(table).id = \(id)
            """
    }

    /// Gives a row another key, if nobody has it.
    func rekey(_ table: String, _ id: Int, to other: Int) -> String {
        kind == .mariadb
            ? "UPDATE IGNORE \(table) SET id = \(other) WHERE id = \(id)"
            : """
            UPDATE \(table) SET id = \(other) WHERE id = \(id)
              AND NOT EXISTS (SELECT 1 FROM \(table) WHERE id = \(other))
            """
    }
}
