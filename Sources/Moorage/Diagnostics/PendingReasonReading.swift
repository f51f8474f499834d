import GRDB
import MoorageCore
import MoorageSupport
import MoorageWire
import SQLiteSupport

/// Finds out why changes wait. It reads the file, and changes nothing.
final class PendingReasonReading {
    private let db: Database
    private let store: ReplicaStore
    private let tables: LoadedTables
    private let statements: RawStatements
    private let exchanges: [ExchangeRecord]
    private let inFlight: Batch?
    private var madeBuilder: BatchBuilder?
    /// The rows of the batch that was sent, by table.
    private lazy var sent: [Identifier: Set<RowKey>] = (inFlight?.changes ?? []).reduce(into: [:]) {
        $0[Identifier($1.table), default: []].insert(normalized($1.key, of: $1.table))
    }

    /// - Parameter exchanges: The last ones, in the order of their ends.
    init(_ db: Database, _ store: ReplicaStore, exchanges: [ExchangeRecord]) throws {
        self.db = db
        self.store = store
        self.exchanges = exchanges
        tables = try store.load(db)
        statements = RawStatements(db, cache: store.statementCache)
        inFlight = try Metadata(db: db).inFlightBatch()?.batch
    }

    /// - Returns: None for a table that the app took out of its list.
    /// - Throws: `noSuchTable` if the replica does not sync the table.
    func reasons(of key: RowKey, in name: String) throws -> [PendingReason] {
        guard store.tables.contains(where: { $0.id == name }) else {
            throw ReplicaError.tableNotListed(name)
        }
        return try reasons(
            of: try pending(key, of: name), in: name, isSent: isInFlight(key, of: name))
    }

    /// The reasons of a change that was listed. The log says which row it is, whatever form the key
    /// has.
    func reasons(of change: PendingChange) throws -> [PendingReason] {
        guard change.stamp != nil else { return try reasons(of: change.key, in: change.table) }
        return try reasons(
            of: change, in: change.table, isSent: isInFlight(change.key, of: change.table))
    }

    private func reasons(
        of change: PendingChange?, in name: String, isSent: Bool
    ) throws -> [PendingReason] {
        if unlisted.contains(where: { $0 == name }) { return [] }
        var reasons: [PendingReason] = []
        if isSent, let inFlight {
            reasons.append(.sent(batch: inFlight.number, at: inFlight.preparedAt.date))
        }
        if let change {
            reasons += try obstacles(of: change)
            // With an obstacle of its own, an answered batch would change nothing.
            if reasons.isEmpty, let inFlight { reasons.append(.behindBatch(inFlight.number)) }
            if reasons.isEmpty, tables.schema == nil { reasons.append(.hubUnknown) }
        } else if !isSent {
            return []
        }
        if let failure = failure() { reasons.append(failure) }
        return reasons.isEmpty ? [.nextExchange] : reasons
    }

    /// Whether the batch that was sent contains the row.
    func isInFlight(_ key: RowKey, of name: String) -> Bool {
        sent[Identifier(name)]?.contains(normalized(key, of: name)) == true
    }

    /// Tables that the app took out of its list.
    private var unlisted: [Identifier] { tables.records.filter(\.isNotListed).map(\.name) }

    /// The key as the lists have it.
    func normalized(_ key: RowKey, of name: String) -> RowKey {
        log(of: name)?.table.description.key(key.values) ?? key
    }

    /// The columns of a key, and whether a value without quotes is a text; `nil` if nobody can tell.
    func keyColumns(of name: String) -> [(name: String, isText: Bool)]? {
        guard let table = log(of: name)?.table else { return nil }
        return table.description.primaryKey.map { place in
            let isText =
                switch table.description.columns[place].type {
                case .integer, .boolean, .real: false
                // Its type is not known, or any value is a blob to it.
                case .blob: table.form(place).column.affinity == .text
                default: true
                }
            return (table.description.columns[place].name, isText)
        }
    }

    /// Before the first contact nobody knows the hub's types, and the log is read as it is stored.
    private func log(of name: String) -> LogReading? {
        if let log = tables.log(of: name, statements) { return log }
        guard tables.schema == nil, let table = tables.tracked.first(where: { $0.name == name }),
            let record = tables.records.first(where: { $0.name == name })
        else { return nil }
        return SuspendedTableLog(
            record, local: table.local, uuidForm: table.uuidForm, hub: nil)?.reading(statements)
    }

    /// Whether the app's table has the row; `nil` if nobody can tell.
    func isHere(_ key: RowKey, of name: String) throws -> Bool? {
        guard let row = try row(key, of: name), row.log.hasRows else { return nil }
        return try row.log.exists(localKey: row.localKey)
    }

    /// Whether the log has the row, and its key has another form than the file's keys.
    func isInOtherForm(_ key: RowKey, of name: String) throws -> Bool {
        try row(key, of: name)?.isInOtherForm == true
    }

    private struct Row {
        let log: LogReading
        let localKey: LocalKey
        let isInOtherForm: Bool
    }

    /// Where the file has a row. The log has its key as it was written, such as a UUID in capitals.
    private func row(_ key: RowKey, of name: String) throws -> Row? {
        guard let log = log(of: name) else { return nil }
        let key = log.table.description.key(key.values)
        let usual = log.table.localKey(key)
        var found: LocalKey?
        if try usual.map({ try log.entries(localKey: $0).isEmpty }) ?? true {
            try log.forEachRow { localKey in
                if log.table.key(localKey) == key, try log.localChange(localKey: localKey) != nil {
                    found = localKey
                }
                return found == nil
            }
        }
        return (found ?? usual).map {
            Row(log: log, localKey: $0, isInOtherForm: found != nil)
        }
    }

    /// What the log says of the row; `nil` if it says nothing.
    func pending(_ key: RowKey, of name: String) throws -> PendingChange? {
        guard let row = try row(key, of: name) else { return nil }
        return try PendingReading(db).change(row.log, localKey: row.localKey)
    }

    private func obstacles(of change: PendingChange) throws -> [PendingReason] {
        var reasons: [PendingReason] = []
        if let record = tables.records.first(where: { $0.name == change.table }),
            let suspension = record.suspension ?? record.hubSuspension
        {
            return [.tableSuspended(code: suspension.code)]
        }
        if let stamp = change.stamp {
            let builder = try builder()
            let place = builder.tables.firstIndex { $0.name == change.table }
            if let place, let reason = try builder.reason(place, stamp.localKey) {
                reasons.append(reason)
            }
        }
        if try !isAllowed(change) { reasons.append(.notAllowed) }
        return reasons
    }

    private func builder() throws -> BatchBuilder {
        if let madeBuilder { return madeBuilder }
        // Only the app's own tables are sent.
        let unlisted = unlisted
        let listed = store.tables.filter { table in !unlisted.contains { $0 == table.id } }
        let store = unlisted.isEmpty ? store : ReplicaStore(tables: listed)
        let tables = unlisted.isEmpty ? tables : try store.load(db)
        let builder = try BatchBuilder.asking(
            StoreTransaction(db: db, store: store, tables: tables))
        builder.nextUUIDForm = try store.nextUUIDForm(db, tables)
        madeBuilder = builder
        return builder
    }

    private func isAllowed(_ change: PendingChange) throws -> Bool {
        let rights = try store.rights(db, on: change.table)
        return switch change.kind {
        case .insert: rights.mayInsert
        case .delete: rights.mayDelete
        case .update: change.after.keys.allSatisfy { rights.mayUpdate(column: $0) }
        case .refetch, .recovered: true
        }
    }

    /// Why the last exchanges failed; `nil` if the last one went well, or there was none.
    private func failure() -> PendingReason? {
        let ended = exchanges.filter(\.isEvidence)
        guard let last = ended.last, let code = last.code else { return nil }
        let failed = ended.reversed().prefix { $0.code != nil }
        let since = failed.last?.startedAt ?? last.startedAt
        let hubCode = HubError.Code(rawValue: code)
        switch hubCode {
        case .unauthorized: return .signedOut(since: since)
        case .clientTooOld, .protocolTooOld: return .updateRequired(since: since)
        default:
            return HubError(hubCode, "").isTransient
                ? .offline(since: since, code: code) : .failing(since: since, code: code)
        }
    }
}
