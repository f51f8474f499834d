import MoorageCore
import MoorageHub

/// One connection to PostgreSQL, bound to one thread at a time.
final class PostgresConnection: CentralConnection {
    let link: Link
    private let options: PostgresDatabase.Options
    private var shapes: [Int: TableShape] = [:]
    private var stamp: String?
    private var savepoints = 0

    init(address: PostgresAddress, options: PostgresDatabase.Options) {
        self.options = options
        link = Link(address: address, settings: Self.settings(options))
    }

    /// What every session of ours fixes, so that values read and written mean one thing.
    private static func settings(_ options: PostgresDatabase.Options) -> String {
        func milliseconds(_ duration: Duration?) -> Int64 {
            guard let duration else { return 0 }
            return duration.components.seconds * 1000
                + duration.components.attoseconds / 1_000_000_000_000_000
        }
        return """
            SET client_encoding = 'UTF8'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres';
            SET TimeZone = 'UTC'; SET bytea_output = 'hex'; SET extra_float_digits = 3;
            SET standard_conforming_strings = on; SET search_path = pg_catalog, public;
            SET statement_timeout = \(milliseconds(options.statementTimeout));
            SET lock_timeout = \(milliseconds(options.lockTimeout))
            """
    }

    func openIfNeeded() throws {
        if !link.isOpen { try link.open() }
    }

    func isUsable(within lifetime: Duration) -> Bool {
        guard link.isAlive(), let opened = link.opened else { return false }
        return opened.duration(to: .now) < lifetime
    }

    func close() {
        link.close()
        shapes = [:]
        stamp = nil
    }

    // MARK: Transactions

    func begin(_ kind: TransactionKind) throws {
        savepoints = 0
        switch kind {
        case .snapshot: try link.simple("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        case .write: try link.simple("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        }
    }

    func commit() throws { try link.simple("COMMIT") }

    func rollback() {
        savepoints = 0
        guard link.isInTransaction else { return }
        do {
            try link.simple("ROLLBACK")
        } catch {
            // The server ends the transaction with the connection; the next use opens a new one.
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
        let name = "moorage_\(savepoints)"
        try link.simple("ROLLBACK TO SAVEPOINT \(name); RELEASE SAVEPOINT \(name)")
    }

    // MARK: Moorage's own tables

    func run(_ sql: String, _ arguments: [Value]) throws -> [[Value]] {
        var parameters = Parameters()
        for argument in arguments {
            switch argument {
            case .null: parameters.add(nil)
            case .integer(let number): parameters.add(String(number))
            case .real(let number): parameters.add(number.description)
            case .text(let text): parameters.add(try text.checkedForNUL("an argument"))
            case .blob(let bytes): parameters.add(blob: bytes)
            }
        }
        let result = try link.query(SQLText.numbered(sql), parameters, asText: true)
        return (0..<result.rowCount).map { row in
            (0..<result.columnCount).map { column in
                guard let text = result.text(row, column) else { return .null }
                let isInteger = [20, 21, 23, 26].contains(result.columnType(column))
                return isInteger ? Int64(text).map(Value.integer) ?? .text(text) : .text(text)
            }
        }
    }

    func now() throws -> Int64 {
        let result = try link.query("SELECT \(Self.nowSQL)", Parameters())
        return result.integer(0, 0) ?? 0
    }

    /// Milliseconds since 1970 by the server's clock, which moves within a transaction.
    static let nowSQL = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    func identity() throws -> String {
        let sql = """
            SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
              (SELECT timeline_id FROM pg_control_checkpoint()),
              (SELECT oid FROM pg_database WHERE datname = current_database()),
              to_regclass('public.moorage_meta')::oid)
            """
        return try link.simple(sql).text(0, 0) ?? ""
    }

    func hasMetadata() throws -> Bool {
        try link.simple("SELECT to_regclass('public.moorage_meta')::text").text(0, 0) != nil
    }

    func schemaStamp() throws -> String {
        let now = try link.simple(SchemaReader.stampSQL).text(0, 0) ?? ""
        if now != stamp {
            shapes = [:]
            stamp = now
        }
        return now
    }

    func readTables() throws -> [CentralTable] { try SchemaReader(link).tables() }

    /// How a table's columns are written in SQL; read again when the schema moved.
    func shape(of table: AttachedTable) throws -> TableShape {
        if let known = shapes[table.number], known.table == table { return known }
        let shape = try TableShape(table, link)
        shapes[table.number] = shape
        return shape
    }

    // MARK: Attaching

    func metadataSteps() -> [String] { TrackingSQL.metadataSteps }
    func detachMetadataSteps() -> [String] { TrackingSQL.detachMetadataSteps }

    func attachSteps(for table: AttachedTable, previous: AttachedTable?) throws -> [String] {
        let sql = try TrackingSQL(TableShape(table, link))
        var steps: [String] = []
        let key = { (table: TableDescription) in
            table.primaryKey.map { [table.columns[$0].name, table.columns[$0].type.name] }
        }
        if let previous, key(previous.description) != key(table.description) {
            steps += sql.dropSteps
        }
        return steps + sql.attachSteps
    }

    func detachSteps(for table: AttachedTable) throws -> [String] { TrackingSQL.dropSteps(table) }

    func runStep(_ sql: String) throws {
        let wait = options.stepLockTimeout.components.seconds * 1000
        try link.simple("SET LOCAL lock_timeout = \(max(wait, 100))")
        try link.simple(sql)
        link.forgetPrepared()
        shapes = [:]
    }

    func restamp(_ table: AttachedTable) throws {
        try link.simple(
            "UPDATE public.\(table.objectName("track")) SET version = pg_current_xact_id()")
    }
}

extension String {
    /// The text, when PostgreSQL can hold it: it has no place for NUL.
    func checkedForNUL(_ name: String) throws -> String {
        guard utf8.contains(0) else { return self }
        throw CentralError(
            .refused(
                Refusal(
                    code: .notRepresentable,
                    message: "\(name) holds a NUL character, which PostgreSQL cannot store in text."
                )),
            "a text with NUL")
    }
}
