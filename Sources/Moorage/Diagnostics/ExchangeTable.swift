import GRDB
import MoorageCore
import MoorageSupport

/// The last exchanges, as the file has them. Other processes read them there.
struct ExchangeTable {
    let db: Database

    static let name = "_moorage_exchange"
    static let definition = """
        -- The last exchanges: times, counts and codes. Nothing depends on them.
        CREATE TABLE IF NOT EXISTS \(name)(
          id INTEGER PRIMARY KEY, kind TEXT NOT NULL,
          at INTEGER NOT NULL,     -- by this device's clock
          count INTEGER NOT NULL,  -- of exchanges
          duration INTEGER NOT NULL,  -- milliseconds
          sent INTEGER, received INTEGER,  -- bytes; NULL: nobody counted them
          changes INTEGER NOT NULL, written INTEGER NOT NULL, removed INTEGER NOT NULL,
          pages INTEGER NOT NULL,
          code TEXT);              -- NULL: it went well
        """

    private static let columns = """
        kind, at, count, duration, sent, received, changes, written, removed, pages, code
        """

    /// Adds records at the end, and forgets the oldest. One that joins the one before it takes its
    /// place.
    func add(_ records: [ExchangeRecord]) throws {
        let insert = try RawStatement.fixed(
            db,
            """
            INSERT OR REPLACE INTO _moorage_exchange(id, \(Self.columns))
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """)
        var (id, last) = try self.last()
        for record in records {
            let joined = last?.joined(with: record)
            if joined == nil { id += 1 }
            let record = joined ?? record
            try insert.run([
                .integer(id), .text(record.kind.rawValue), .time(record.start),
                .count(record.count), .integer(record.durationMilliseconds),
                .optional(record.bytesSent), .optional(record.bytesReceived),
                .count(record.changesSent), .count(record.rowsReceived),
                .count(record.rowsRemoved), .count(record.pages),
                record.code.map(Value.text) ?? .null,
            ])
            last = record
        }
        let forget = """
            DELETE FROM _moorage_exchange
            WHERE id <= (SELECT max(id) FROM _moorage_exchange) - ?1
            """
        try RawStatement.fixed(db, forget).run([.count(ExchangeJournal.capacity)])
    }

    /// The last record, and the number of its row.
    private func last() throws -> (id: Int64, record: ExchangeRecord?) {
        let sql = "SELECT \(Self.columns), id FROM _moorage_exchange ORDER BY id DESC LIMIT 1"
        let statement = try RawStatement.fixed(db, sql)
        var found: (id: Int64, record: ExchangeRecord?) = (0, nil)
        while try statement.step() {
            guard case .integer(let id) = statement.column(11).value else { continue }
            found = (id, Self.record(statement))
        }
        return found
    }

    /// The records, the oldest first. A file that no opening has brought up to date has none.
    func all() throws -> [ExchangeRecord] {
        guard try db.tableExists(Self.name) else { return [] }
        let sql = "SELECT \(Self.columns) FROM _moorage_exchange ORDER BY id"
        var records: [ExchangeRecord] = []
        let statement = try RawStatement.fixed(db, sql)
        while try statement.step() {
            // A later version may know more kinds.
            if let record = Self.record(statement) { records.append(record) }
        }
        return records
    }

    private static func record(_ statement: RawStatement) -> ExchangeRecord? {
        func number(_ column: Int) -> Int64? {
            if case .integer(let number) = statement.column(column).value { number } else { nil }
        }
        func count(_ column: Int) -> Int { number(column).flatMap { Int(exactly: $0) } ?? 0 }
        guard case .text(let name) = statement.column(0).value,
            let kind = ExchangeRecord.Kind(rawValue: name), let at = number(1)
        else { return nil }
        var code: String?
        if case .text(let text) = statement.column(10).value { code = text }
        return ExchangeRecord(
            kind: kind, startedAt: DeviceTime(milliseconds: at).date, count: max(1, count(2)),
            durationMilliseconds: number(3) ?? 0, bytesSent: number(4), bytesReceived: number(5),
            changesSent: count(6), rowsReceived: count(7), rowsRemoved: count(8), pages: count(9),
            code: code, isUnderWay: false)
    }
}

extension Value {
    fileprivate static func optional(_ number: Int64?) -> Value {
        number.map(Value.integer) ?? .null
    }

    fileprivate static func count(_ number: Int) -> Value { .integer(Int64(number)) }
}

extension ReplicaStore {
    /// Saves what is due with a transaction that is written anyway.
    ///
    /// - Returns: What to report once the transaction is committed.
    func saveExchanges(
        _ db: Database, at now: DeviceTime
    ) throws -> ExchangeJournal.Unsaved? {
        guard let due = journal?.due(at: now) else { return nil }
        do {
            try db.inSavepoint {
                try ExchangeTable(db: db).add(due.records)
                return .commit
            }
            return due
        } catch let error as DatabaseError where error.isOfOneTable && db.isInsideTransaction {
            // Nothing depends on the records. They wait for the next page.
            return nil
        }
    }

    /// Saves records in a transaction of their own.
    func save(_ unsaved: ExchangeJournal.Unsaved, _ db: Database) throws {
        try db.inTransaction(.immediate) {
            try ExchangeTable(db: db).add(unsaved.records)
            return .commit
        }
        journal?.saved(unsaved)
    }
}

extension DatabaseError {
    /// Whether the table is in the way, such as one that is gone, and not the file or the disk.
    fileprivate var isOfOneTable: Bool {
        [.SQLITE_ERROR, .SQLITE_CONSTRAINT, .SQLITE_MISMATCH].contains(resultCode)
    }
}
