import Foundation
import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire

extension ReplicaStore {
    /// What the file says of its replica.
    ///
    /// - Parameters:
    ///   - path: The file's; `nil` for one in memory.
    ///   - own: Exchanges that are not in the file.
    /// - Complexity: O(log entries), and no row of the app's tables but those with candidates.
    func diagnostics(
        _ db: Database, at now: DeviceTime, path: String?, also own: [ExchangeRecord] = []
    ) throws -> ReplicaDiagnostics {
        let meta = Metadata(db: db)
        let reading = try DiagnosticsReading(db, self)
        let exchanges = ExchangeRecord.merged(try ExchangeTable(db: db).all(), own)
        let caughtUp = try caughtUp(db)
        let acknowledged = "SELECT count(*) FROM _moorage_acknowledged"
        return ReplicaDiagnostics(
            readAt: now.date, libraryVersion: libraryVersion,
            fileFormat: Int(try meta.integer(.version) ?? 0), replica: try meta.replica(),
            hub: try meta.text(.hub), schemaVersion: reading.tables.schema?.version,
            isCloning: try meta.isCloning(), lastCaughtUp: caughtUp?.device.date,
            freshAsOf: caughtUp?.hub?.date, lastContact: nil, lastErrorCode: nil,
            cursor: try cursor(db), tables: try reading.tableStates(), log: reading.log(),
            inFlight: reading.inFlight, acknowledgedCount: try reading.count(acknowledged),
            file: try file(db, path: path), exchanges: []
        ).with(exchanges)
    }

    private func cursor(_ db: Database) throws -> ReplicaDiagnostics.Cursor {
        let meta = Metadata(db: db)
        let cursor = try meta.cursor()
        let subscriptions = try SubscriptionTable(db: db).all()
        return ReplicaDiagnostics.Cursor(
            epoch: cursor.epoch?.text, checkpoint: cursor.checkpoint?.text,
            completeScopes: cursor.complete.count, partialScopes: cursor.partial.count,
            isScanning: cursor.scan != nil, rowsDone: try meta.integer(.doneRows).map(Int.init),
            rowsExpected: try meta.integer(.expectedRows).map(Int.init),
            subscriptions: subscriptions.count,
            unavailableSubscriptions: subscriptions.count { $0.isAvailable == false })
    }

    private func file(_ db: Database, path: String?) throws -> ReplicaDiagnostics.File {
        func number(_ pragma: String) throws -> Int64 {
            try RawStatement.fixed(db, "PRAGMA \(pragma)").firstInteger() ?? 0
        }
        let pageSize = try number("page_size")
        // It is not there in other journal modes, and no error then.
        let wal = path.flatMap { path in
            // SQLite names it after the file, and not after a link to it.
            let file = URL(filePath: path).resolvingSymlinksInPath().path
            return try? FileManager.default.attributesOfItem(atPath: file + "-wal")
        }
        return ReplicaDiagnostics.File(
            databaseBytes: try number("page_count") * pageSize,
            freeBytes: try number("freelist_count") * pageSize,
            walBytes: (wal?[.size] as? NSNumber)?.int64Value,
            journalMode: try RawStatement.fixed(db, "PRAGMA journal_mode").firstText([]) ?? "",
            sqliteVersion: try RawStatement.fixed(db, "SELECT sqlite_version()").firstText([])
                ?? "")
    }
}

extension ReplicaDiagnostics {
    /// The same with these exchanges, and with what follows from them.
    fileprivate func with(_ exchanges: [ExchangeRecord]) -> ReplicaDiagnostics {
        var result = self
        result.exchanges = exchanges.suffix(ExchangeJournal.capacity)
        let answered = exchanges.filter(\.isEvidence)
        result.lastErrorCode = answered.last?.code
        result.lastContact = answered.last { $0.code == nil }?.end.date ?? lastCaughtUp
        return result
    }
}

/// Reads the counts of all tables, each list once.
private struct DiagnosticsReading {
    let tables: LoadedTables
    let inFlight: ReplicaDiagnostics.Batch?
    private let db: Database
    private let statements: RawStatements
    private let pending: [Identifier: Int]
    private let sent: [Identifier: Int]
    private let keys: [String]
    /// What each log has that can be read.
    private let logs: [Identifier: LogFigures]

    private struct LogFigures {
        let count: Int
        let first: DeviceTime?
        let last: DeviceTime?
    }

    init(_ db: Database, _ store: ReplicaStore) throws {
        self.db = db
        statements = RawStatements(db, cache: store.statementCache)
        tables = try store.load(db)
        pending = try store.pendingCounts(tables, statements)
        let stored = try Metadata(db: db).inFlightBatch()
        inFlight = stored.map { stored in
            ReplicaDiagnostics.Batch(
                number: stored.batch.number, changes: stored.batch.changes.count,
                bytes: stored.payload.count, preparedAt: stored.batch.preparedAt.date)
        }
        sent = (stored?.batch.changes ?? []).reduce(into: [:]) {
            $0[Identifier($1.table), default: 0] += 1
        }
        keys = try KeyBlocks(db: db).names()
        var logs: [Identifier: LogFigures] = [:]
        for record in tables.records where try SuspendedTableLog.hasLog(record.name, db) {
            logs[record.name] = try Self.figures(of: record.name, statements)
        }
        self.logs = logs
    }

    private static func figures(
        of name: Identifier, _ statements: RawStatements
    ) throws -> LogFigures {
        let log = SQLText.name(TrackedTable.logTable(of: name))
        let row = try statements("SELECT count(*), min(at), max(at) FROM \(log)").first([]) ?? []
        func number(_ column: Int) -> Int64? {
            guard row.indices.contains(column), case .integer(let number) = row[column].value
            else { return nil }
            return number
        }
        return LogFigures(
            count: Int(number(0) ?? 0), first: number(1).map(DeviceTime.init(milliseconds:)),
            last: number(2).map(DeviceTime.init(milliseconds:)))
    }

    func count(_ sql: String) throws -> Int { Int(try statements(sql).firstInteger() ?? 0) }

    // MARK: Tables

    func tableStates() throws -> [ReplicaDiagnostics.Table] {
        let refused = try counts(in: "_moorage_refused")
        let blocked = try counts(in: "_moorage_refused", where: "blocked")
        let overruled = try counts(in: OverruledList.table)
        let withheld = try counts(in: WithheldRows.table)
        let deferred = try counts(in: "_moorage_deferred")
        let dangling = try counts(in: DanglingRows.table)
        return try tables.records.map { record in
            let name = record.name
            let table = tables.table(named: name)
            let suspension = record.suspension ?? record.hubSuspension
            return ReplicaDiagnostics.Table(
                name: name.text, state: state(of: record, table), code: suspension?.code,
                reason: suspension?.reason, direction: table?.description.direction.rawValue,
                columns: record.columns?.count ?? 0, pending: pending[name] ?? 0,
                logEntries: logs[name]?.count ?? 0, inFlight: sent[name] ?? 0,
                refused: refused[name] ?? 0, blocked: blocked[name] ?? 0,
                overruled: overruled[name] ?? 0, withheld: withheld[name] ?? 0,
                deferred: deferred[name] ?? 0, dangling: dangling[name] ?? 0,
                keysLeft: keys.contains { name == $0 }
                    ? try KeyBlocks(db: db).left(of: name.text) : nil)
        }
    }

    private func state(
        of record: TableRecord, _ table: SyncedTable?
    ) -> ReplicaDiagnostics.Table.State {
        if record.isNotListed { return .notListed }
        if record.suspension != nil { return .suspended }
        if record.hubSuspension != nil { return .suspendedAtHub }
        guard let table else { return .unknownToHub }
        if record.state.repair != .none { return .repairing }
        guard table.description.direction.isReceived else { return .synced }
        return record.wasCopied && record.state.unconfirmed == nil ? .synced : .copying
    }

    /// How many entries a list has, by table.
    private func counts(
        in list: String, where condition: String = "1"
    ) throws -> [Identifier: Int] {
        let statement = try statements(
            "SELECT tbl, count(*) FROM \(list) WHERE \(condition) GROUP BY tbl")
        var counts: [Identifier: Int] = [:]
        while try statement.step() {
            guard case .text(let table) = statement.column(0).value,
                case .integer(let count) = statement.column(1).value
            else { continue }
            counts[Identifier(table)] = Int(count)
        }
        return counts
    }

    // MARK: The logs

    func log() -> ReplicaDiagnostics.Log {
        ReplicaDiagnostics.Log(
            pending: pending.values.reduce(0, +), entries: logs.values.reduce(0) { $0 + $1.count },
            first: logs.values.compactMap(\.first).min()?.date,
            last: logs.values.compactMap(\.last).max()?.date)
    }
}
