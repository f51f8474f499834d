import Foundation
import GRDB
import Logging
import MoorageCore
import MoorageHub
import MoorageSQLite
import MoorageTesting
import MoorageWire

/// A hub on a database in memory, with the owner's own SQL on it. Only the bench moves its clock:
/// what comes later is later, on every machine.
final class HubBench {
    static let schema = """
        CREATE TABLE customer (
          id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL, city TEXT, credit DECIMAL(10,2) CHECK (credit >= 0),
          code INTEGER UNIQUE);
        CREATE TABLE purchase (
          id INTEGER NOT NULL PRIMARY KEY, customer TEXT NOT NULL REFERENCES customer(id), note TEXT);
        CREATE TABLE line (
          purchase INTEGER NOT NULL REFERENCES purchase(id) ON DELETE CASCADE, number INTEGER NOT NULL,
          amount INTEGER, PRIMARY KEY (purchase, number));
        """

    let database: SQLiteDatabase
    let hub: Hub
    private let scopes: ScopeSettings
    private let disk: SimulatedDisk

    init(
        schema: String = HubBench.schema, rules: [String: TableRules] = [:],
        classes: [ReplicaClass] = [], limits: HubLimits = HubLimits(),
        retention: RetentionPolicy = RetentionPolicy(),
        directions: [String: TableDirection] = [:], scopes: ScopeSettings = ScopeSettings(),
        columns: [String: ColumnSettings] = [:], tableNames: [String: AppNames] = [:],
        rights: RightSettings = RightSettings(),
        audit: AuditPolicy? = nil, replicasPerUser: Int? = nil,
        minimumClientVersion: String? = nil, minimumClientVersions: [String: String] = [:],
        logger: Logger = Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() },
        lending: (@Sendable (any CentralConnection) -> any CentralConnection)? = nil
    ) throws {
        disk = try SimulatedDisk(seed: 1)
        disk.clock = 1_700_000_000_000
        var memory = Configuration()
        memory.foreignKeysEnabled = true
        let database = SQLiteDatabase(queue: try disk.memory(configuration: memory))
        self.database = database
        try database.execute(schema)
        let counter = Counter()
        var configuration = HubConfiguration(
            rules: rules, classes: classes, limits: limits, retention: retention)
        configuration.directions = directions
        configuration.scopes = scopes
        configuration.columns = columns
        configuration.tableNames = tableNames
        configuration.rights = rights
        configuration.audit = audit
        configuration.minimumClientVersion = minimumClientVersion
        configuration.minimumClientVersions = minimumClientVersions
        if let replicasPerUser { configuration.maximumReplicasPerUser = replicasPerUser }
        self.scopes = scopes
        hub = Hub(
            database: lending.map { ForwardingDatabase(database, $0) } ?? database,
            configuration: configuration,
            makeID: { "id-\(counter.next())" }, logger: logger)
        try attach()
    }

    func attach(newEpoch: Bool = false) throws {
        let counter = Counter()
        try database.perform { connection in
            _ = try Attachment(
                on: connection, scopes: scopes,
                makeID: { "attach-\(counter.next())-\(UUID())" }
            ).attach(tables: nil, newEpoch: newEpoch)
        }
    }

    /// The time of the database's clock.
    var now: DeviceTime { DeviceTime(milliseconds: disk.clock) }

    /// Runs work that takes one millisecond, and that begins one millisecond after the work before
    /// it.
    func timed<Result>(_ work: () throws -> Result) rethrows -> Result {
        disk.clock += 1
        defer { disk.clock += 1 }
        return try work()
    }

    /// Lets days pass: makes what the hub has recorded older.
    func pass(days: Int) throws {
        let time = days * 86_400_000
        try sql("UPDATE moorage_checkpoint SET at = at - \(time)")
        try sql("UPDATE moorage_batch SET taken_at = taken_at - \(time)")
        try sql(
            "UPDATE moorage_meta SET value = CAST(value AS INTEGER) - \(time) WHERE name = 'horizon_at'"
        )
        try sql(
            """
            UPDATE moorage_meta SET value = CAST(value AS INTEGER) - \(time)
            WHERE name = 'purge' AND value <> '0'
            """)
    }

    func sql(_ statement: String) throws { try timed { try database.execute(statement) } }

    func rows(_ query: String) throws -> [[Value]] {
        try database.perform { try $0.run(query, []) }
    }

    func conflicts() throws -> [[String?]] {
        try rows(
            "SELECT kind, rule, reason_code, mine, theirs FROM moorage_conflict ORDER BY logged_at, id"
        ).map { $0.map { if case .text(let text) = $0 { text } else { nil } } }
    }
}

final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    func next() -> Int {
        lock.withLock {
            value += 1
            return value
        }
    }
}

/// A replica in a dictionary: it pushes what the test wants, and applies what the hub sends.
final class ScriptedReplica {
    var id: String
    var hubID: String?
    /// The user that it belongs to.
    var principal: Principal?
    /// How often the hub made it start over.
    private(set) var beginnings = 0
    var cursor = SyncCursor.start
    var rows: [String: [RowKey: [Value]]] = [:]
    var withheld: [WithheldRow] = []
    var removed: [RowName] = []
    var batchNumber: Int64 = 0
    /// What each of its requests says of the app.
    var clientVersion: String?
    /// What it subscribed to.
    var requested: [RequestedScope] = []
    /// What the last welcome said of that.
    private(set) var unavailable: [Scope] = []
    /// What each of its requests reports.
    var report: DeviceReport?
    /// Milliseconds that its clock is ahead of the hub's.
    var skew: Int64 = 0
    let tables: [TableColumns]
    private let schema: SchemaDescription
    private let bench: HubBench

    /// - Parameters:
    ///   - hidden: Columns that the hub hides.
    ///   - own: The replica's own names, by `table` and `table.column` of the hub.
    init(
        _ bench: HubBench, _ name: Int, tables names: [String]? = nil, hidden: Set<String> = [],
        own: [String: String] = [:]
    ) throws {
        self.bench = bench
        id = "00000000-0000-4000-8000-" + String(String(1_000_000_000_000 + name).dropFirst())
        schema = SchemaDescription(
            tables: try bench.database.perform { try $0.readTables() }.compactMap {
                guard case .supported(let table) = $0.support else { return nil }
                return table.restricted(
                    to: table.columns.map(\.name).filter { !hidden.contains($0) })?.called(own)
            })
        tables = schema.tables.filter { names?.contains($0.name) ?? true }.map {
            TableColumns(name: $0.name, columns: $0.columns.map(\.name))
        }
    }

    var now: DeviceTime { bench.now + skew }

    func table(_ name: String) -> TableDescription { schema.table(named: name)! }

    func insert(_ name: String, _ row: [Value], at: DeviceTime? = nil, again: Bool = false)
        -> Change
    {
        Change(
            table: name, key: table(name).key(of: row), operation: .insert(row),
            editedAt: at ?? now,
            isAgain: again)
    }

    func update(
        _ name: String, _ key: Value..., set edits: [String: (Value, Value)], at: DeviceTime? = nil
    ) -> Change {
        let table = table(name)
        return Change(
            table: name, key: table.key(key),
            operation: .update(
                edits.sorted { $0.key < $1.key }.map {
                    ColumnEdit(
                        column: table.column(named: $0.key)!, old: $0.value.0, new: $0.value.1)
                }), editedAt: at ?? now)
    }

    func delete(_ name: String, before row: [Value], at: DeviceTime? = nil) -> Change {
        Change(
            table: name, key: table(name).key(of: row), operation: .delete(before: row),
            editedAt: at ?? now)
    }

    func batch(_ changes: [Change], nonce: String? = nil) -> Batch {
        batchNumber += 1
        return Batch(
            number: batchNumber, nonce: nonce ?? "nonce-\(id.suffix(3))-\(batchNumber)",
            preparedAt: now,
            tables: tables, changes: changes)
    }

    func request(_ batch: Batch?, limits: PageLimits = PageLimits()) -> ExchangeRequest {
        var request = ExchangeRequest(
            replica: id, hub: hubID, sentAt: now, tables: tables, cursor: cursor,
            schemaVersion: nil, batch: batch, limits: limits)
        request.clientVersion = clientVersion
        request.report = report
        request.scopes = requested
        return request
    }

    /// Runs one exchange. Every frame is encoded and decoded again.
    @discardableResult
    func exchange(_ batch: Batch? = nil, limits: PageLimits = PageLimits()) throws -> [Frame] {
        var frames: [Frame] = []
        try bench.timed {
            let request = try ExchangeRequest(decoding: request(batch, limits: limits).encoded())
            try bench.hub.exchange(request, for: principal) { (frame: Frame) in
                frames.append(try Frame(decoding: frame.encoded()))
            }
        }
        for frame in frames {
            switch frame {
            case .welcome(let welcome):
                hubID = welcome.hub
                unavailable = welcome.unavailable
                if welcome.isExpired {
                    restart()
                    // The hub did not accept the batch.
                    if batch != nil { batchNumber -= 1 }
                }
            case .page(let page): apply(page)
            default: break
            }
        }
        return frames
    }

    private func restart() {
        cursor = .start
        rows = [:]
        beginnings += 1
    }

    /// Pushes changes and returns the outcomes.
    func push(_ changes: Change...) throws -> [Outcome.Kind] {
        outcomes(try exchange(batch(changes))).map(\.kind)
    }

    func outcomes(_ frames: [Frame]) -> [Outcome] { answer(frames)?.outcomes ?? [] }

    func answer(_ frames: [Frame]) -> Outcomes? {
        frames.lazy.compactMap { if case .outcomes(let outcomes) = $0 { outcomes } else { nil } }
            .first
    }

    func pages(_ frames: [Frame]) -> [Page] {
        frames.compactMap { if case .page(let page) = $0 { page } else { nil } }
    }

    private func apply(_ page: Page) {
        guard page.since == cursor else { return }
        for table in page.removals {
            for key in table.keys {
                rows[table.table]?[key] = nil
                removed.append(RowName(table: table.table, key: key))
            }
        }
        for table in page.tables {
            for row in table.rows {
                rows[table.table, default: [:]][self.table(table.table).key(of: row)] = row
            }
        }
        withheld += page.withheld
        cursor = page.cursor
    }

    /// Whether the replica has exactly the rows of the owner's tables.
    func isEqual() throws -> Bool {
        for table in schema.tables where tables.contains(where: { $0.name == table.name }) {
            let names = table.columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
            let central = try bench.rows("SELECT \(names) FROM \"\(table.name)\"")
            let mine = rows[table.name, default: [:]]
            guard mine.count == central.count else { return false }
            for row in central {
                guard let own = mine[table.key(of: row)], table.equal(own, row) else {
                    return false
                }
            }
        }
        return true
    }
}

extension TableDescription {
    /// The table by other names, without its references.
    fileprivate func called(_ own: [String: String]) -> TableDescription {
        TableDescription(
            name: own[name] ?? name,
            columns: columns.map { column in
                ColumnDescription(
                    name: own["\(name).\(column.name)"] ?? column.name, type: column.type,
                    isNullable: column.isNullable, defaultValue: column.defaultValue,
                    isGenerated: column.isGenerated)
            }, primaryKey: primaryKey, uniqueKeys: uniqueKeys,
            foreignKeys: own.isEmpty ? foreignKeys : [])
    }
}
