/// The writers' statements that differ between databases.
struct TortureDialect {
    let kind: CentreKind

    /// Prepares the database for several programs.
    var preparation: [String] { kind == .sqlite ? ["PRAGMA journal_mode = WAL"] : [] }

    /// Begins a transaction. An unusual one has another isolation level, or another mode.
    func begin(isUnusual: Bool) -> String {
        switch kind {
        // A transaction that reads first may find that it cannot write.
        case .sqlite: isUnusual ? "BEGIN" : "BEGIN IMMEDIATE"
        case .postgres: isUnusual ? "BEGIN ISOLATION LEVEL REPEATABLE READ" : "BEGIN"
        // MariaDB's default is REPEATABLE READ.
        case .mariadb:
            isUnusual ? "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN" : "BEGIN"
        }
    }

    /// How long a transaction stays open, in milliseconds. On SQLite all others wait for it.
    var pause: ClosedRange<Int> { kind == .sqlite ? 5...30 : 100...350 }

    /// How often each of eight writers begins a transaction. Together they exceed the required 200
    /// commits a second, and leave some of the machine to the replicas. In a file all share one
    /// lock, which must be free now and then.
    var transactionsPerSecond: Double { kind == .sqlite ? 6 : 45 }

    /// An insert that does nothing when the key exists.
    ///
    /// - Parameter source: `VALUES …`, or a query with a condition.
    func insertOrIgnore(_ table: String, _ source: String) -> String {
        kind == .mariadb
            ? "INSERT IGNORE INTO \(table) \(source)"
            : "INSERT INTO \(table) \(source) ON CONFLICT DO NOTHING"
    }

    /// An insert that sets a column of the row if the key exists.
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

    /// Moves a row below another parent, if that parent exists.
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

    /// Gives a row another key, if no row has it.
    func rekey(_ table: String, _ id: Int, to other: Int) -> String {
        kind == .mariadb
            ? "UPDATE IGNORE \(table) SET id = \(other) WHERE id = \(id)"
            : """
            UPDATE \(table) SET id = \(other) WHERE id = \(id)
              AND NOT EXISTS (SELECT 1 FROM \(table) WHERE id = \(other))
            """
    }
}
