import MoorageCore
import MoorageHub
import MoorageSupport

/// One connection to PostgreSQL: transactions, and statements on Moorage's own tables.
///
/// The rest of the contract is in extensions, by what the hub does with it.
final class PostgresConnection: CentralConnection, InterruptibleConnection {
    let link: Link
    let options: PostgresDatabase.Options
    /// The schema with the synced tables, and with Moorage's own.
    private(set) var schema: OwnerSchema
    private var savepoints = 0
    /// Tables with rows that this transaction wrote without announcing when they were edited.
    var unannounced: Set<Int> = []
    private var shapes: [AttachedTable: TableShape] = [:]
    /// The stamp at which `shapes` and the prepared statements were made.
    private(set) var stamp: String?
    /// The stamp at which the hub last compared the partitions.
    var partitionStamp: String?
    /// What the session's `search_path` is set to.
    private var searchPath: String?
    /// The open transaction set the path, so a rollback would undo that.
    private var isPathOpen = false
    /// The last stamp that was read, and the snapshot before it.
    var lastStamp: (snapshot: String, stamp: String)?
    /// No transaction from this number on had begun when ``databaseState()`` was last read.
    var nextTransaction: UInt64 = 0

    init(address: PostgresAddress, options: PostgresDatabase.Options) {
        self.options = options
        schema = address.schema
        link = Link(address: address, settings: Self.settings(options))
    }

    // MARK: Life

    func open() throws {
        savepoints = 0
        shapes = [:]
        stamp = nil
        partitionStamp = nil
        lastStamp = nil
        nextTransaction = 0
        searchPath = nil
        isPathOpen = false
        try link.open()
        interruption?.use(makeInterrupter())
        do {
            try checkSchema()
            try findExtensions()
        } catch {
            link.close()
            throw error
        }
    }

    private func checkSchema() throws {
        let answer = try link.simple(
            """
            SELECT pg_catalog.has_schema_privilege(n.oid, 'USAGE') FROM pg_catalog.pg_namespace AS n
            WHERE n.nspname::text = \(SQLText.literal(schema.name))
            """)
        guard answer.rowCount == 1 else { throw CentralError.schemaMissing(schema.name) }
        guard answer.text(0, 0) == "t" else { throw CentralError.schemaForbidden(schema.name) }
    }

    /// Finds the schemas of extension types, and adds them to the search path.
    func findExtensions() throws {
        let found = try link.simple(
            """
            SELECT DISTINCT n.nspname FROM pg_catalog.pg_extension AS e
            JOIN pg_catalog.pg_namespace AS n ON n.oid = e.extnamespace
            WHERE n.nspname <> 'pg_catalog'
              AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') ORDER BY 1
            """)
        schema.extensions = (0..<found.rowCount).compactMap { found.text($0, 0) }
        let path = schema.sessionPath
        guard path != searchPath else { return }
        isPathOpen = isPathOpen || link.isInTransaction
        try link.set("search_path", to: path)
        searchPath = path
    }

    func openIfNeeded() throws {
        if !link.isOpen { try open() }
    }

    func close() { link.close() }

    var interruption: WorkInterruption? {
        get { link.interruption }
        set { link.interruption = newValue }
    }

    func makeInterrupter() -> (@Sendable () -> Void)? { link.makeInterrupter() }

    /// Whether the connection is still open and not too old.
    func isUsable(within lifetime: Duration) -> Bool {
        guard let opened = link.opened, opened.duration(to: .now) < lifetime else { return false }
        return link.isAlive()
    }

    /// Fixes everything that decides how values look and what names mean, whatever the role, the
    /// database or the server has configured.
    private static func settings(_ options: PostgresDatabase.Options) -> [String] {
        func milliseconds(_ duration: Duration?) -> Int64 {
            duration.map { max(1, $0.milliseconds) } ?? 0
        }
        return [
            "client_encoding TO 'UTF8'",
            "DateStyle TO 'ISO, YMD'",
            "IntervalStyle TO 'postgres'",
            "TimeZone TO 'UTC'",
            "bytea_output TO 'hex'",
            "extra_float_digits TO 3",
            "xmloption TO 'content'",
            "lc_monetary TO 'C'",
            "standard_conforming_strings TO on",
            "default_transaction_isolation TO 'read committed'",
            "default_transaction_read_only TO off",
            "jit TO off",
            "statement_timeout TO \(milliseconds(options.statementTimeout))",
            "lock_timeout TO \(milliseconds(options.lockTimeout))",
        ]
    }

    // MARK: Transactions

    func begin(_ kind: TransactionKind) throws {
        try openIfNeeded()
        savepoints = 0
        unannounced = []
        isPathOpen = false
        switch kind {
        case .write: try link.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        case .snapshot: try link.begin(Self.beginSnapshot)
        }
    }

    private static let beginSnapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    func commit() throws {
        // The server answers COMMIT of a failed transaction with ROLLBACK, and without an error.
        guard !link.hasFailed else {
            rollback()
            throw CentralError.rolledBack
        }
        // A function of the owner's may have caught the interruption, and gone on without.
        try interruption?.check()
        try link.simple("COMMIT")
    }

    func rollback() {
        savepoints = 0
        guard link.isOpen, link.isInTransaction else { return }
        do {
            try link.simple("ROLLBACK")
            if isPathOpen, let searchPath { try link.set("search_path", to: searchPath) }
            isPathOpen = false
        } catch {
            // Closing the connection ends the transaction in any case.
            link.close()
        }
    }

    func savepoint() throws {
        try link.simple("SAVEPOINT moorage_\(savepoints)")
        savepoints += 1
    }

    func releaseSavepoint() throws {
        savepoints -= 1
        try link.simple("RELEASE SAVEPOINT moorage_\(savepoints)")
    }

    func rollbackToSavepoint() throws {
        savepoints -= 1
        try link.simple(
            """
            ROLLBACK TO SAVEPOINT moorage_\(savepoints); RELEASE SAVEPOINT moorage_\(savepoints)
            """)
    }

    func deferConstraints() throws { try link.simple("SET CONSTRAINTS ALL DEFERRED") }

    func checkConstraints(_ written: [WrittenRows]) throws {
        try link.simple("SET CONSTRAINTS ALL IMMEDIATE")
    }

    // MARK: Moorage's own tables

    func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
        var parameters = Parameters()
        for argument in arguments {
            switch argument {
            case .null: parameters.add(nil)
            case .integer(let number): parameters.add(String(number))
            case .real(let number): parameters.add(number.description)
            case .blob(let bytes): parameters.add(blob: bytes)
            case .text(let text):
                guard !text.utf8.contains(0) else { throw CentralError.nulInArgument }
                parameters.add(text)
            }
        }
        let result: QueryResult
        do {
            result = try link.query(SQLText.numbered(sql), parameters, asText: true)
        } catch let error as CentralError where error.isPermission {
            throw CentralError.withDoctorAdvice(error)
        }
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { Self.decoded(result, row, $0) }
        }
    }

    private static func decoded(_ result: QueryResult, _ row: Int, _ column: Int) -> Value {
        guard let text = result.text(row, column) else { return .null }
        switch result.columnType(column) {
        case 16: return .integer(text == "t" ? 1 : 0)
        // A sum of integers is numeric here.
        case 20, 21, 23, 26, 1700: return Int64(text).map(Value.integer) ?? .text(text)
        case 700, 701: return Double(text).map(Value.real) ?? .text(text)
        default: return .text(text)
        }
    }

    func now() throws -> HubTime {
        HubTime(
            milliseconds: try link.query("SELECT \(Self.nowSQL)", Parameters()).integer(0, 0) ?? 0)
    }

    private static let nowSQL = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    func identity() throws -> String {
        let answer = try link.query(
            "SELECT \(identitySQL) \(Self.identitySource)", Parameters())
        return answer.text(0, 0) ?? ""
    }

    private var identitySQL: String {
        """
        concat_ws('/', s.system_identifier, left(pg_walfile_name(pg_current_wal_lsn()), 8), d.oid,
          coalesce(to_regclass(\(SQLText.literal(schema.table("moorage_meta"))))::oid, 0))
        """
    }
    private static let identitySource = """
        FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database()
        """

    func databaseState() throws -> DatabaseState {
        // Reads one row for each fact. The server computes the first part once.
        let answer: QueryResult
        do {
            answer = try link.query(
                """
                SELECT b.*, m.name, m.value FROM (
                  SELECT \(Self.nowSQL) AS now, \(identitySQL) AS identity,
                    pg_current_snapshot()::text AS snapshot \(Self.identitySource)) AS b
                LEFT JOIN \(schema.table("moorage_meta")) AS m ON m.\(MetadataTable.isFact)
                """, Parameters())
        } catch  where link.lastError?.state == "42P01" {
            return DatabaseState(
                now: try now(), identity: "", schemaStamp: try schemaStamp(), facts: nil)
        }
        let snapshot = answer.text(0, 2) ?? ""
        nextTransaction = try SnapshotCheckpoint(Checkpoint(snapshot)).maximum
        var facts: [String: String] = [:]
        for row in 0..<answer.rowCount {
            if let name = answer.text(row, 3) { facts[name] = answer.text(row, 4) }
        }
        return DatabaseState(
            now: HubTime(milliseconds: answer.integer(0, 0) ?? 0),
            identity: answer.text(0, 1) ?? "",
            schemaStamp: try schemaStamp(at: snapshot), facts: facts,
            checkpoint: Checkpoint(snapshot))
    }

    func openSnapshot() throws -> SnapshotState {
        try openIfNeeded()
        savepoints = 0
        do {
            let answer = try link.begin(
                Self.beginSnapshot,
                then: """
                    SELECT \(checkpointSQL),
                      (SELECT value FROM \(schema.table("moorage_meta")) WHERE name = 'horizon')
                    """)
            let checkpoint = try checkpoint(answer)
            return SnapshotState(
                changeToken: checkpoint.text, checkpoint: checkpoint,
                horizon: answer.text(0, 2).map { Checkpoint($0) })
        } catch {
            rollback()
            throw error
        }
    }

    // MARK: Shapes

    /// How the table's values are stored now.
    func shape(of table: AttachedTable) throws -> TableShape {
        if let known = shapes[table] { return known }
        let shape = try TableShape(
            table, in: schema, columns: nativeColumns(of: table.name), facts: facts(of: table.name))
        shapes[table] = shape
        return shape
    }

    func forgetShapes() {
        shapes = [:]
        link.forgetPrepared()
    }

    /// Forgets what was read or prepared for another schema.
    func noticed(stamp: String) throws {
        if let known = self.stamp, known != stamp {
            forgetShapes()
            try findExtensions()
        }
        self.stamp = stamp
    }
}
