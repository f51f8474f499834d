/// What the writers work on, and what must hold in every state that they commit.
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

    /// Both databases take it.
    static let statements = [
        """
        CREATE TABLE parent (
          id bigint NOT NULL PRIMARY KEY, label text NOT NULL, note text, code bigint UNIQUE)
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
        [
            "INSERT INTO parent SELECT i, 'first', NULL, NULL FROM generate_series(1, 100) i",
            "INSERT INTO child SELECT i, 1 + i % 100, 'first', 0 FROM generate_series(1, 400) i",
            "INSERT INTO grandchild SELECT i, 1 + i % 400, 'first' FROM generate_series(1, 800) i",
            "INSERT INTO pair_left SELECT i, 'first' FROM generate_series(1, \(pairs)) i",
            "INSERT INTO pair_right SELECT i, 'first' FROM generate_series(1, \(pairs)) i",
            "INSERT INTO balance SELECT i, 0 FROM generate_series(1, \(balances)) i",
            "INSERT INTO progress SELECT i, 0 FROM generate_series(1, \(writers)) i",
        ]
    }

    /// Queries that find nothing in a state that really was: each transaction writes both rows of
    /// a pair, moves amounts from one balance to another, and counts its writer's ledger.
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
