package import GRDB
package import MoorageCore
import MoorageSupport
import MoorageWire

/// Reads a replica's file on a connection that may only read, beside the app that writes it. For
/// the file's owner: unlike ``ReplicaDiagnostics`` it has keys of rows and names of scopes.
package struct ReplicaInspection {
    /// Whether a file can be inspected.
    package enum Format: Hashable, Sendable {
        case noReplica
        /// An earlier version wrote it. Opening it brings it up to date, which is a write.
        case earlier
        case readable
    }

    private let db: Database
    private let store: ReplicaStore
    private let reasons: PendingReasonReading
    private let path: String?

    /// - Throws: `metadataNewer`.
    package static func format(of db: Database) throws -> Format {
        let meta = Metadata(db: db)
        guard try meta.exists(), let version = try meta.integer(.version) else {
            return .noReplica
        }
        guard version <= Metadata.version else {
            throw ReplicaError.metadataNewer(version, known: Metadata.version)
        }
        return version < Metadata.version ? .earlier : .readable
    }

    /// - Parameters:
    ///   - db: A connection within a transaction: what it reads is of one moment.
    ///   - path: The file's; `nil` for one in memory.
    package init(_ db: Database, path: String?) throws {
        self.db = db
        self.path = path
        let names = try TableRecords(db: db).names().sorted()
        store = ReplicaStore(tables: names.map { .table($0.text) })
        reasons = try PendingReasonReading(db, store, exchanges: ExchangeTable(db: db).all())
    }

    package var tableNames: [String] { store.tables.map(\.name) }

    /// The columns of a table's key, in the order of a ``RowKey``, and whether a value without
    /// quotes is a text; `nil` if nobody can tell.
    package func keyColumns(of table: String) -> [(name: String, isText: Bool)]? {
        reasons.keyColumns(of: table)
    }

    package func diagnostics(at now: DeviceTime) throws -> ReplicaDiagnostics {
        try store.diagnostics(db, at: now, path: path)
    }

    // MARK: Scopes

    /// What the file says of scopes, by name.
    package struct Scopes: Hashable, Sendable {
        package let complete: [String]
        package let partial: [String]
        package let subscriptions: [Subscription]
    }

    package func scopes() throws -> Scopes {
        let cursor = try Metadata(db: db).cursor()
        return Scopes(
            complete: cursor.complete.sorted().map(\.name),
            partial: cursor.partial.sorted().map(\.name),
            subscriptions: try store.subscriptions(db, limit: .max))
    }

    // MARK: Lists

    /// A local change, and why it waits.
    package struct Waiting: Hashable, Sendable {
        package let change: PendingChange
        package let reasons: [PendingReason]
    }

    /// - Parameter table: Only of this table; `nil` for all.
    package func waiting(in table: String?, limit: Int) throws -> [Waiting] {
        try store.pending(db, in: table, limit: limit).map { change in
            Waiting(change: change, reasons: try reasons.reasons(of: change))
        }
    }

    package func refused(in table: String?, limit: Int) throws -> [RefusedChange] {
        try store.refused(db, in: table, limit: limit)
    }

    package func overruled(in table: String?, limit: Int) throws -> [OverruledChange] {
        try store.overruled(db, in: table, limit: limit)
    }

    // MARK: One row

    /// All that the file says of one row, without its values.
    package struct Row: Hashable, Sendable {
        package let key: RowKey
        package let state: RowState
        /// Whether the app's table has it; `nil` if nobody can tell.
        package let isHere: Bool?
        /// Whether the log has the row by a key in another form than the file's keys.
        package let isInOtherForm: Bool
        package let reasons: [PendingReason]
        package let refused: [RefusedChange]
        package let overruled: [OverruledChange]
        package let withheld: [WithheldValue]
        package let isDeferred: Bool

        /// Whether the table has the row, or the file says anything of it.
        package var isKnown: Bool { isHere != false || state != .synced }
    }

    /// - Throws: `noSuchTable`.
    package func row(_ key: RowKey, of table: String) throws -> Row {
        let waits = try reasons.reasons(of: key, in: table)
        let key = reasons.normalized(key, of: table)
        let refused = try store.refused(db, in: table, limit: .max).filter { $0.key == key }
        let overruled = try store.overruled(db, in: table, limit: .max).filter { $0.key == key }
        let withheld = try store.withheld(db, limit: .max).filter {
            $0.table.hasSameBytes(as: table) && $0.key == key
        }
        let statements = RawStatements(db, cache: store.statementCache)
        let isDeferred = try DeferredRows(statements: statements)
            .contains(RowName(table: table, key: key))
        // As a table of states has it.
        let states: [RowState?] = [
            refused.last.map { .refused($0.code) },
            try reasons.pending(key, of: table) == nil ? nil : .pending,
            reasons.isInFlight(key, of: table) ? .inFlight : nil,
            overruled.isEmpty ? nil : .overruled, isDeferred ? .deferred : nil,
            withheld.isEmpty ? nil : .withheld,
        ]
        return Row(
            key: key, state: states.compactMap { $0 }.first ?? .synced,
            isHere: try reasons.isHere(key, of: table),
            isInOtherForm: try reasons.isInOtherForm(key, of: table), reasons: waits,
            refused: refused, overruled: overruled, withheld: withheld, isDeferred: isDeferred)
    }
}
