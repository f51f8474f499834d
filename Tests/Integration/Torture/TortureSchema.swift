import MoorageHub

/// The writers' tables, and the invariants of every state that they commit.
enum TortureSchema {
    static let tables = [
        "parent", "child", "grandchild", "pair_left", "pair_right", "balance", "progress",
        "ledger", "device_entry",
    ]

    static let parents = 200
    static let children = 800
    static let grandchildren = 1_600
    static let pairs = 40
    static let balances = 40

    /// Each parent is in one area. The rows below it are in the same area.
    static let areas = [1, 2, 3]
    static let scopes = ScopeSettings(
        rules: [
            "parent": [ScopeRule(.column(kind: "area", "area"))],
            "child": [ScopeRule(.through(["parent_id"]))],
            "grandchild": [ScopeRule(.through(["child_id"]))],
        ], holdings: ["area": .claim("area")])

    /// The rows of a table that a user of some areas sees.
    static func query(_ table: String, areas: [Int]) -> String {
        let list = areas.map { String($0) }.joined(separator: ", ")
        let parents = "SELECT id FROM parent WHERE area IN (\(list))"
        let children = "SELECT id FROM child WHERE parent_id IN (\(parents))"
        let condition =
            switch table {
            case "parent": "WHERE area IN (\(list)) "
            case "child": "WHERE parent_id IN (\(parents)) "
            case "grandchild": "WHERE child_id IN (\(children)) "
            default: ""
            }
        return "SELECT * FROM \(table) \(condition)ORDER BY 1, 2"
    }

    /// Statements that every database accepts.
    static let statements = [
        """
        CREATE TABLE parent (
          id bigint NOT NULL PRIMARY KEY, area bigint NOT NULL, label text NOT NULL, note text,
          code bigint UNIQUE)
        """,
        """
        CREATE TABLE child (
          id bigint NOT NULL PRIMARY KEY,
          parent_id bigint NOT NULL REFERENCES parent(id) ON DELETE CASCADE,
          label text NOT NULL, n bigint NOT NULL)
        """,
        """
        CREATE TABLE grandchild (
          id bigint NOT NULL PRIMARY KEY,
          child_id bigint NOT NULL REFERENCES child(id) ON DELETE CASCADE, label text NOT NULL)
        """,
        "CREATE INDEX child_parent ON child(parent_id)",
        "CREATE INDEX grandchild_child ON grandchild(child_id)",
        "CREATE TABLE pair_left (id bigint NOT NULL PRIMARY KEY, token text NOT NULL)",
        "CREATE TABLE pair_right (id bigint NOT NULL PRIMARY KEY, token text NOT NULL)",
        "CREATE TABLE balance (id bigint NOT NULL PRIMARY KEY, amount bigint NOT NULL)",
        "CREATE TABLE progress (writer bigint NOT NULL PRIMARY KEY, n bigint NOT NULL)",
        """
        CREATE TABLE ledger (
          writer bigint NOT NULL, n bigint NOT NULL, token text NOT NULL, PRIMARY KEY (writer, n))
        """,
        """
        CREATE TABLE device_entry (
          device bigint NOT NULL, n bigint NOT NULL, body text NOT NULL, PRIMARY KEY (device, n))
        """,
    ]

    static func fill(writers: Int) -> [String] {
        func insert(_ table: String, _ count: Int, _ row: (Int) -> String) -> String {
            "INSERT INTO \(table) VALUES "
                + (1...count).map { "(\(row($0)))" }.joined(separator: ", ")
        }
        return [
            insert("parent", 100) { "\($0), \(1 + $0 % areas.count), 'first', NULL, NULL" },
            insert("child", 400) { "\($0), \(1 + $0 % 100), 'first', 0" },
            insert("grandchild", 800) { "\($0), \(1 + $0 % 400), 'first'" },
            insert("pair_left", pairs) { "\($0), 'first'" },
            insert("pair_right", pairs) { "\($0), 'first'" },
            insert("balance", balances) { "\($0), 0" },
            insert("progress", writers) { "\($0), 0" },
        ]
    }

    /// Queries that find nothing in a state that the database really had. Each transaction writes
    /// both rows of a pair, moves amounts from one balance to another, and adds to its writer's
    /// ledger.
    static let promises: [(name: String, query: String)] = [
        (
            "the rows of a pair are equal",
            """
            SELECT l.id, l.token, r.token FROM pair_left l LEFT JOIN pair_right r ON r.id = l.id
            WHERE l.token IS NOT r.token
            """
        ),
        ("all pairs are there", "SELECT count(*) FROM pair_left HAVING count(*) <> \(pairs)"),
        ("the sum of the balances is 0", "SELECT sum(amount) FROM balance HAVING sum(amount) <> 0"),
        (
            "a writer's ledger has no gap, and ends where its progress says",
            """
            SELECT p.writer, p.n, count(l.n), max(l.n) FROM progress p
            LEFT JOIN ledger l ON l.writer = p.writer GROUP BY p.writer
            HAVING count(l.n) <> p.n OR coalesce(max(l.n), 0) <> p.n
            """
        ),
    ]
}
