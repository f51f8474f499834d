import CPostgres
import Foundation
import MoorageCore
import MoorageHub

/// One libpq connection. It opens, runs statements, and prepares each statement once. Only one
/// thread uses it at a time.
final class Link {
    private let address: PostgresAddress
    /// The settings of each session: `name TO value`.
    private var settings: [String]
    /// Whether a pooler in transaction mode is between the hub and the server
    /// (docs/decisions/0039). After a transaction, the session's settings and prepared statements
    /// may then be another program's.
    private(set) var isPooled = false
    private var handle: OpaquePointer?
    /// Statement text to its name at the server.
    private var prepared = ByteKeyedDictionary<String>()
    private var preparedCount = 0
    private(set) var opened: ContinuousClock.Instant?
    /// The server's error for the last statement that failed.
    private(set) var lastError: ServerError?
    /// That of the work that has the connection.
    var interruption: WorkInterruption?

    static let maximumPrepared = 300

    init(address: PostgresAddress, settings: [String]) {
        self.address = address
        self.settings = settings
    }

    deinit { close() }

    var isOpen: Bool { handle != nil && PQstatus(handle) == CONNECTION_OK }
    var serverVersion: Int { Int(PQserverVersion(handle)) }
    var isInTransaction: Bool {
        guard let handle else { return false }
        return PQtransactionStatus(handle) != PQTRANS_IDLE
    }

    /// A statement failed, and the transaction can only end.
    var hasFailed: Bool { handle != nil && PQtransactionStatus(handle) == PQTRANS_INERROR }

    /// Whether the server has not closed the connection, as far as this is visible without a query.
    func isAlive() -> Bool {
        guard isOpen else { return false }
        // The first call reads the server's last message, and the second meets the end after it.
        return PQconsumeInput(handle) == 1 && PQconsumeInput(handle) == 1
            && PQstatus(handle) == CONNECTION_OK
    }

    func open() throws {
        close()
        let fallback = [
            ("connect_timeout", "10"), ("fallback_application_name", "moorage"),
            ("dbname", address.libpqURL), ("client_encoding", "UTF8"),
        ]
        var keywords = fallback.map { UnsafePointer(strdup($0.0)) }
        var values = fallback.map { UnsafePointer(strdup($0.1)) }
        defer { for pointer in keywords + values { free(UnsafeMutablePointer(mutating: pointer)) } }
        keywords.append(nil)
        values.append(nil)
        let start = ContinuousClock.now
        handle = PQconnectdbParams(keywords, values, 1)
        guard isOpen else {
            // A server that refuses does so at once.
            let isQuick = start.duration(to: .now) < .seconds(5)
            throw unopened(isQuick ? SignInState.asked(keywords, values, within: 5) : nil)
        }
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        do {
            isPooled = false
            try check()
            if isPooled { try checkTransactions() } else { try simple(assignments("SET ")) }
        } catch {
            close()
            throw error
        }
        opened = .now
    }

    /// - Parameter state: The server's SQLSTATE, if it sent one.
    private func unopened(_ state: String?) -> CentralError {
        let reason = handle.map { String(cString: PQerrorMessage($0)) } ?? "out of memory"
        let asksForPassword = handle.map { PQconnectionNeedsPassword($0) != 0 } ?? false
        close()
        let line = address.redacted(Self.plain(reason))
        if asksForPassword { return CentralError.passwordMissing(line) }
        if let state, let refused = CentralError.signInRefused(line, state) { return refused }
        return CentralError.noAnswer(line)
    }

    /// The reason in `connection to server at "host", port 5432 failed: FATAL:  no such role`.
    private static func plain(_ reason: String) -> String {
        let line = reason.split(separator: "\n").first.map(String.init) ?? reason
        let words = line.ranges(of: " failed: ").last.map { line[$0.upperBound...] } ?? line[...]
        let text = words.hasPrefix("FATAL:") ? words.dropFirst(6) : words
        return String(text.drop { $0 == " " }).lowercasedAtStart
    }

    /// Makes what ends the statement that runs at the server, from any thread.
    func makeInterrupter() -> (@Sendable () -> Void)? {
        guard let request = handle.flatMap({ CancelRequest($0) }) else { return nil }
        return { request.send() }
    }

    func close() {
        if let handle { PQfinish(handle) }
        handle = nil
        opened = nil
        prepared = ByteKeyedDictionary()
    }

    /// Refuses servers on which this connector cannot keep its promises.
    private func check() throws {
        guard serverVersion >= 130_000 else { throw CentralError.serverTooOld }
        if String(cString: PQparameterStatus(handle, "server_encoding")) == "SQL_ASCII" {
            throw CentralError.unclearEncoding
        }
        let answer = try simple(
            """
            SELECT pg_catalog.pg_is_in_recovery()::text,
                   (pg_catalog.pg_backend_pid() = \(PQbackendPID(handle)))::text
            """)
        isPooled =
            switch address.pooling {
            case .transaction: true
            case .session: false
            // A pooler reports a process number of its own to its clients.
            case nil: answer.text(0, 1) != "true"
            }
        if answer.text(0, 0) != "false" { throw CentralError.standby }
    }

    // MARK: Settings

    private func assignments(_ word: String) -> String {
        settings.map { word + $0 }.joined(separator: "; ")
    }

    /// Adds a setting, for as long as the connection is open.
    func set(_ name: String, to value: String) throws {
        settings.removeAll { $0.hasPrefix(name + " ") }
        settings.append("\(name) TO \(value)")
        if !isPooled || isInTransaction {
            try simple("SET \(isPooled ? "LOCAL " : "")\(name) TO \(value)")
        }
    }

    /// Begins a transaction. Behind a pooler it also applies the session's settings.
    ///
    /// - Parameter statement: Another statement to run in the same round trip.
    @discardableResult
    func begin(_ sql: String, then statement: String? = nil) throws -> QueryResult {
        try interruption?.check()
        let parts = [sql] + (isPooled ? [assignments("SET LOCAL ")] : []) + [statement ?? ""]
        return try checked(PQexec(handle, parts.joined(separator: "; ")))
    }

    /// Behind a pooler, runs a single statement in a transaction with the session's settings.
    private func whole(_ work: () throws -> QueryResult) throws -> QueryResult {
        guard isPooled, !isInTransaction else { return try work() }
        do {
            // Other programs may have left the session read-only.
            try begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            let result = try work()
            _ = try checked(PQexec(handle, "COMMIT"))
            return result
        } catch {
            // ROLLBACK fails only with the connection, and the next statement notices that.
            if isOpen, isInTransaction { PQclear(PQexec(handle, "ROLLBACK")) }
            throw error
        }
    }

    // MARK: Statements

    private func checkTransactions() throws {
        do {
            try simple("SELECT 1")
        } catch {
            guard !isOpen else { throw error }
            throw CentralError.poolerWithoutTransactions
        }
    }

    /// Runs statements without arguments, several of them in one round trip. Returns the last one's
    /// answer, as text.
    @discardableResult
    func simple(_ sql: String) throws -> QueryResult {
        try whole { try checked(PQexec(handle, sql)) }
    }

    /// Runs a statement with arguments. Except behind a pooler, the first use prepares it. The
    /// answer is binary unless `asText`.
    func query(_ sql: String, _ parameters: Parameters, asText: Bool = false) throws -> QueryResult
    {
        try interruption?.check()
        guard isPooled else {
            return try execute(prepared: prepare(sql, parameters.types), parameters, asText)
        }
        return try whole { try execute(sql: sql, parameters, asText) }
    }

    /// - Parameters:
    ///   - name: The name of a prepared statement.
    ///   - sql: The statement, where there is no name.
    private func execute(
        prepared name: String? = nil, sql: String = "", _ parameters: Parameters, _ asText: Bool
    ) throws -> QueryResult {
        let result = parameters.bytes.withUnsafeBufferPointer { buffer in
            let values = parameters.offsets.map { offset -> UnsafePointer<CChar>? in
                guard let offset else { return nil }
                // An empty last blob starts where the buffer ends; libpq then reads no byte of it.
                return buffer.baseAddress.map {
                    UnsafeRawPointer($0 + offset).assumingMemoryBound(to: CChar.self)
                }
            }
            guard let name else {
                return PQexecParams(
                    handle, sql, Int32(parameters.count), parameters.types, values,
                    parameters.lengths, parameters.formats, asText ? 0 : 1)
            }
            return PQexecPrepared(
                handle, name, Int32(parameters.count), values, parameters.lengths,
                parameters.formats, asText ? 0 : 1)
        }
        return try checked(result)
    }

    /// Forgets every prepared statement: the tables they read may have changed.
    func forgetPrepared() { prepared = ByteKeyedDictionary() }

    private func prepare(_ sql: String, _ types: [UInt32]) throws -> String {
        // The types are part of a prepared statement, because a blob and a text prepare
        // differently.
        let key = types.contains(17) ? sql + "\u{1}" + types.map(String.init).joined() : sql
        if let name = prepared[key] { return name }
        if prepared.isEmpty || prepared.count >= Self.maximumPrepared {
            // DEALLOCATE works in a transaction, but not in one that failed. There the query would
            // fail, too.
            try simple("DEALLOCATE ALL")
            prepared = ByteKeyedDictionary()
        }
        preparedCount += 1
        let name = "m\(preparedCount)"
        _ = try checked(PQprepare(handle, name, sql, Int32(types.count), types))
        prepared[key] = name
        return name
    }

    private func checked(_ raw: OpaquePointer?) throws -> QueryResult {
        guard let raw else { throw CentralError.connectionBroke }
        switch PQresultStatus(raw) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return QueryResult(raw)
        default:
            let error = ServerError(raw)
            PQclear(raw)
            lastError = error
            if error.isSchemaChange { forgetPrepared() }
            // If the connection broke during COMMIT, nobody knows whether the server has committed.
            guard isOpen else { throw CentralError.connectionBroke }
            try interruption?.check()
            throw error.central
        }
    }
}

extension String {
    fileprivate var lowercasedAtStart: String { prefix(1).lowercased() + dropFirst() }
}
