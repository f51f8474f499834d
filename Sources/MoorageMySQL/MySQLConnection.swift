import MoorageCore
import MoorageHub

/// One connection to MariaDB or MySQL: transactions, and statements on Moorage's own tables.
///
/// The rest of the contract is in extensions, by what the hub does with it.
final class MySQLConnection: CentralConnection, InterruptibleConnection {
    let link: Link
    let options: MySQLDatabase.Options
    private var savepoints = 0
    /// The length of the journal at each savepoint.
    private var points: [Int] = []
    /// The connector undoes parts of the open transaction by repeating the rest. The transaction
    /// has no savepoints any more.
    private var repeats = false
    /// Whether the connector must do so. It reads this once in each transaction.
    private var mustRepeat: Bool?
    private var shapes: [AttachedTable: TableShape] = [:]
    /// The stamp at which `shapes` and the prepared statements were made.
    private var stamp: String?
    /// The foreign keys of the database at the stamp. Every table needs them, and reading them
    /// takes longer with each table of the database.
    var foreignEdges: [ForeignEdge]?
    /// The unnumbered rows that the open snapshot shows, by the table's number.
    var unnumberedByTable: [Int: UnnumberedRows] = [:]
    /// The attached tables, with a digest that shows whether the attachment has changed.
    var tracked: (digest: String?, tables: [AttachedTable])?
    /// The server's own id, which stays as long as the connection.
    private var knownServer: String?
    private(set) var isSnapshot = false
    /// ``checkConstraints(_:)`` checks the constraints later.
    var isDeferring = false
    /// Written rows may refer to nothing for a moment (``leavingReferences(_:)``).
    var isLeavingReferences = false
    /// The session skips checks for one statement. If the server ends the transaction meanwhile,
    /// ``rollback()`` restores the checks.
    var isLax = false

    init(address: MySQLAddress, options: MySQLDatabase.Options) {
        self.options = options
        link = Link(address: address) { Self.settings(options, $0) }
    }

    // MARK: Life

    func open() throws {
        savepoints = 0
        isLax = false
        knownServer = nil
        shapes = [:]
        foreignEdges = nil
        stamp = nil
        try link.open()
        interruption?.use(makeInterrupter())
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

    func isUsable(within lifetime: Duration) -> Bool {
        guard let opened = link.opened, opened.duration(to: .now) < lifetime else { return false }
        return link.isAlive()
    }

    /// Fixes everything that decides how values look and what statements mean, whatever the server
    /// or the user has configured. Triggers keep the mode in which they were created.
    static func settings(_ options: MySQLDatabase.Options, _ kind: ServerKind) -> [String] {
        func seconds(_ duration: Duration) -> Int64 { max(1, duration.components.seconds) }
        let limit = options.statementTimeout.map(seconds) ?? 0
        var settings = [
            modeSetting,
            "SET NAMES utf8mb4 COLLATE \(kind.binaryCollation)",
            """
            SET SESSION time_zone = '+00:00', autocommit = 1, foreign_key_checks = 1, unique_checks = 1,
              sql_safe_updates = 0, sql_select_limit = 18446744073709551615, sql_auto_is_null = 0,
              group_concat_max_len = 16777216, completion_type = 0,
              max_sort_length = \(MySQLQuery.sortedBytes),
              innodb_lock_wait_timeout = \(seconds(options.lockTimeout)),
              lock_wait_timeout = \(seconds(options.lockTimeout))
            """,
            "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE",
        ]
        if kind.isMariaDB {
            settings.append(
                """
                SET SESSION in_predicate_conversion_threshold = 0, max_statement_time = \(limit),
                  optimizer_switch = 'rowid_filter=off'
                """)
        } else {
            // Without it the server may report the next automatic key, and sizes, as they were a
            // day ago.
            settings.append(
                """
                SET SESSION max_execution_time = \(limit * 1000), information_schema_stats_expiry = 0
                """)
        }
        return settings
    }

    static let modeSetting = """
        SET SESSION sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,\
        NO_AUTO_VALUE_ON_ZERO,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'
        """

    // MARK: Transactions

    func begin(_ kind: TransactionKind) throws {
        try openIfNeeded()
        forgetSavepoints()
        unnumberedByTable = [:]
        isDeferring = false
        try interruption?.check()
        switch kind {
        case .write:
            isSnapshot = false
            try link.control("START TRANSACTION READ WRITE")
            if link.kind.losesFullText { link.journal = Journal() }
        case .snapshot:
            isSnapshot = true
            try link.control(
                """
                SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;
                START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY
                """)
        }
    }

    func commit() throws {
        // Killed, functions such as SLEEP and GET_LOCK return another value, and no error.
        try interruption?.check()
        unnumberedByTable = [:]
        isSnapshot = false
        link.journal = nil
        try link.control("COMMIT")
    }

    func rollback() {
        forgetSavepoints()
        unnumberedByTable = [:]
        isSnapshot = false
        guard link.isOpen else { return }
        do {
            isDeferring = false
            // The server may have ended the transaction without saying so in its last answer.
            try link.rollback()
            if isLax { try restoreChecks() }
        } catch {
            // Closing the connection ends the transaction in any case.
            link.close()
        }
    }

    private func forgetSavepoints() {
        savepoints = 0
        points = []
        repeats = false
        mustRepeat = nil
        link.journal = nil
    }

    func savepoint() throws {
        if repeats {
            try link.checkTransaction()
        } else {
            try link.control("SAVEPOINT moorage_\(savepoints)")
        }
        points.append(link.journal?.count ?? 0)
        savepoints += 1
    }

    func releaseSavepoint() throws {
        savepoints -= 1
        points.removeLast()
        isDeferring = false
        if repeats { return try link.checkTransaction() }
        try link.control("RELEASE SAVEPOINT moorage_\(savepoints)")
    }

    func rollbackToSavepoint() throws {
        savepoints -= 1
        let point = points.removeLast()
        isDeferring = false
        if try repeatsToUndo() {
            repeats = true
            return try undoByRepeating(from: point)
        }
        try link.control(
            """
            ROLLBACK TO SAVEPOINT moorage_\(savepoints); RELEASE SAVEPOINT moorage_\(savepoints)
            """)
        link.journal?.forget(from: point)
    }

    private func repeatsToUndo() throws -> Bool {
        if repeats { return true }
        guard link.journal != nil else { return false }
        if let known = mustRepeat { return known }
        let answer = try hasFullText()
        mustRepeat = answer
        return answer
    }

    // MARK: Moorage's own tables

    func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
        let size = arguments.reduce(arguments.count * 12) { $0 + $1.byteCount }
        guard size <= link.maximumPacket - Self.packetHead else {
            throw CentralError.argumentsTooLarge(limit: link.maximumPacket)
        }
        var parameters = Parameters()
        for argument in arguments { parameters.add(argument) }
        let result = try link.query(sql, parameters, decides: true)
        return (0..<result.rowCount).map { row in result.columns.map { $0[row] } }
    }

    /// An upper limit for the bytes of a packet that are not arguments.
    static let packetHead = 8_192

    func now() throws -> HubTime {
        HubTime(
            milliseconds: try link.query("SELECT \(Self.nowSQL)").integer(0, 0) ?? 0)
    }

    /// The statement's time, in milliseconds of UTC, which no clock change repeats.
    static let nowSQL =
        "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(3)) DIV 1000)"

    func identity() throws -> String {
        let answer = try link.query(
            """
            SELECT concat_ws('/', \(SQLText.literal(try serverIdentity())), database(), (
              SELECT unix_timestamp(create_time) FROM information_schema.tables
              WHERE table_schema = database() AND table_name = 'moorage_meta'))
            """, isKept: false)
        return answer.text(0, 0) ?? ""
    }

    private func serverIdentity() throws -> String {
        if let known = knownServer { return known }
        let names = link.kind.identities
        let list = names.map { SQLText.literal($0) }.joined(separator: ", ")
        let found = try link.query(
            "SHOW GLOBAL VARIABLES WHERE variable_name IN (\(list))", isKept: false)
        let values = (0..<found.rowCount).map { (found.text($0, 0) ?? "", found.text($0, 1) ?? "") }
        let identity =
            names.lazy.compactMap { name in values.first { $0.0 == name }?.1 }.first ?? ""
        knownServer = identity
        return identity
    }

    // MARK: Shapes

    /// How the table's values are stored now.
    func shape(of table: AttachedTable) throws -> TableShape {
        if let known = shapes[table] { return known }
        let columns = try nativeColumns(of: table.name)
        let shape = try TableShape(
            table, columns: columns, facts: facts(of: table.name, columns: columns), kind: link.kind
        )
        shapes[table] = shape
        return shape
    }

    func forgetShapes() {
        shapes = [:]
        link.forgetPrepared()
    }

    /// Forgets what was read or prepared for another schema.
    func noticed(stamp: String) {
        if self.stamp != stamp { foreignEdges = nil }
        if let known = self.stamp, known != stamp { forgetShapes() }
        self.stamp = stamp
    }
}
