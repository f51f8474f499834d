import GRDBSQLite

/// A SQLite file on the C API alone: the fastest that an app could be.
final class RawSQLite {
    private let handle: OpaquePointer
    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// - Parameter cacheMegabytes: Of pages; SQLite's own size, 2 MB, without it.
    init(_ path: String, cacheMegabytes: Int? = nil) throws {
        var handle: OpaquePointer?
        guard sqlite3_open(path, &handle) == SQLITE_OK, let handle else {
            throw BenchmarkFailure("\(path) cannot be opened.")
        }
        self.handle = handle
        // Some systems build SQLite so that it overwrites what is deleted, and some do not.
        try run(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = OFF
            """)
        if let cacheMegabytes { try run("PRAGMA cache_size = -\(cacheMegabytes * 1024)") }
    }

    deinit { sqlite3_close_v2(handle) }

    /// Runs work on the connection's handle.
    func withHandle<Result>(_ work: (OpaquePointer) throws -> Result) rethrows -> Result {
        try work(handle)
    }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// - Parameter rowsPerTransaction: All in one without it.
    func insert(_ items: some Sequence<Item>, rowsPerTransaction: Int = .max) throws {
        try each(items, Self.insertSQL, rowsPerTransaction, bindAll)
    }

    func upsert(_ items: some Sequence<Item>) throws {
        try each(items, Self.upsertSQL, .max, bindAll)
    }

    /// Into a replica's file, with the row that its triggers look for in each transaction: they stay quiet.
    func upsertGuarded(_ items: [Item], rowsPerTransaction: Int) throws {
        try run("PRAGMA foreign_keys = OFF")
        for first in stride(from: 0, to: items.count, by: rowsPerTransaction) {
            try run("BEGIN IMMEDIATE; INSERT INTO _moorage_applying VALUES (1)")
            let part = items[first..<min(items.count, first + rowsPerTransaction)]
            try each(part, Self.upsertSQL, 1, bindAll)
            try run("DELETE FROM _moorage_applying; COMMIT")
        }
    }

    private static let insertSQL = "INSERT INTO item VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
    private static let upsertSQL = """
        \(insertSQL) ON CONFLICT (id) DO UPDATE SET name = excluded.name, note = excluded.note,
          quantity = excluded.quantity, flags = excluded.flags, price = excluded.price,
          updated_at = excluded.updated_at
        """

    private func bindAll(_ statement: OpaquePointer, _ item: Item) {
        bind(item.id, 1, statement)
        bind(item.name, 2, statement)
        bind(item.note, 3, statement)
        sqlite3_bind_int64(statement, 4, item.quantity)
        sqlite3_bind_int64(statement, 5, item.flags)
        sqlite3_bind_double(statement, 6, item.price)
        bind(item.updatedAt, 7, statement)
    }

    func update(_ items: some Sequence<Item>, rowsPerTransaction: Int = .max) throws {
        try each(
            items, "UPDATE item SET name = ?2, quantity = ?3 WHERE id = ?1", rowsPerTransaction
        ) { statement, item in
            bind(item.id, 1, statement)
            bind(item.note, 2, statement)
            sqlite3_bind_int64(statement, 3, item.quantity + 1)
        }
    }

    func delete(_ items: some Sequence<Item>, rowsPerTransaction: Int = .max) throws {
        try each(items, "DELETE FROM item WHERE id = ?1", rowsPerTransaction) { statement, item in
            bind(item.id, 1, statement)
        }
    }

    private func each(
        _ items: some Sequence<Item>, _ sql: String, _ rowsPerTransaction: Int,
        _ bind: (OpaquePointer, Item) -> Void
    ) throws {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement
        else { throw failure() }
        defer { sqlite3_finalize(statement) }
        let isAlone = rowsPerTransaction == 1
        for (number, item) in items.enumerated() {
            if !isAlone, number % rowsPerTransaction == 0 {
                if number > 0 { try run("COMMIT") }
                try run("BEGIN IMMEDIATE")
            }
            bind(statement, item)
            guard sqlite3_step(statement) == SQLITE_DONE else { throw failure() }
            sqlite3_reset(statement)
        }
        if !isAlone, sqlite3_get_autocommit(handle) == 0 { try run("COMMIT") }
    }

    private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer) {
        var text = text
        text.withUTF8 { bytes in
            _ = bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text(
                    statement, index, $0.baseAddress, Int32($0.count), Self.transient)
            }
        }
    }

    private func failure() -> BenchmarkFailure {
        BenchmarkFailure(String(cString: sqlite3_errmsg(handle)))
    }
}

struct BenchmarkFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
