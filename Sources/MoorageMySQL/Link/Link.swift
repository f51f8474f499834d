import CMariaDB
import Foundation
import MoorageCore
import MoorageHub

/// One libmariadb connection. It opens, runs statements, and prepares each statement once. Only one
/// thread uses it at a time.
final class Link {
    private let address: MySQLAddress
    private let settings: (ServerKind) -> [String]
    private var handle: UnsafeMutablePointer<MYSQL>?
    /// Why the last attempt to connect could not be encrypted.
    private var unencrypted: TLSProblem?
    private var prepared = ByteKeyedDictionary<Statement>()
    private var isBroken = false
    /// The server ended the transaction without a ROLLBACK. A later statement would commit by
    /// itself.
    private var isTransactionLost = false
    private(set) var opened: ContinuousClock.Instant?
    /// The server's error for the last statement that failed.
    private(set) var lastError: ServerError?
    private(set) var kind = ServerKind.mariaDB
    /// The maximum bytes of a statement, and of a statement's rows.
    private(set) var maximumPacket = 1 << 20
    /// Which server it is, where several have one address.
    private var server: String?
    /// What the open transaction has done, where the connector may have to repeat it.
    var journal: Journal?
    /// That of the work that has the connection.
    var interruption: WorkInterruption?

    static let maximumPrepared = 200

    /// - Parameter settings: Statements that configure the session.
    init(address: MySQLAddress, settings: @escaping (ServerKind) -> [String]) {
        self.address = address
        self.settings = settings
    }

    deinit { close() }

    var isOpen: Bool { handle != nil && !isBroken }

    var isInTransaction: Bool {
        guard let handle else { return false }
        return handle.pointee.server_status & UInt32(SERVER_STATUS_IN_TRANS) != 0
    }

    /// Whether the server has not closed the connection, as far as this is visible without a query.
    func isAlive() -> Bool {
        guard isOpen, let handle else { return false }
        var byte: UInt8 = 0
        let count = recv(
            mysql_get_socket(handle), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        // An idle connection has nothing to read. Anything else is its end or a last message.
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    // MARK: Opening

    func open() throws {
        close()
        Self.startLibrary
        var code = try connect(isEncrypted: address.encryption != .disabled)
        // The library fails where the server has no TLS. This address accepts a connection without
        // it.
        if Int32(code) == CR_SSL_CONNECTION_ERROR, address.encryption == .preferred {
            code = try connect(isEncrypted: false)
        }
        guard code == 0, let handle else { throw Self.refusal(code, unencrypted) }
        do {
            try check(handle)
            for statement in settings(kind) { try simple(statement) }
            let facts = try query(
                "SELECT @@max_allowed_packet, concat_ws('/', @@hostname, @@port, @@datadir)")
            maximumPacket = max(1 << 16, Int(clamping: facts.integer(0, 0) ?? 1 << 20))
            server = facts.text(0, 1)
        } catch {
            close()
            throw error
        }
        opened = .now
    }

    /// - Returns: The library's error code; 0 for a connection.
    private func connect(isEncrypted: Bool) throws -> UInt32 {
        guard let handle = mysql_init(nil) else {
            throw CentralError.noMemory(for: "connection")
        }
        var (seconds, yes): (UInt32, my_bool) = (10, 1)
        // Without this the library chooses a socket itself for `localhost`.
        var transport = (address.socket == nil ? MYSQL_PROTOCOL_TCP : MYSQL_PROTOCOL_SOCKET)
            .rawValue
        mysql_options(handle, MYSQL_OPT_PROTOCOL, &transport)
        mysql_options(handle, MYSQL_OPT_CONNECT_TIMEOUT, &seconds)
        mysql_options(handle, MYSQL_SET_CHARSET_NAME, "utf8mb4")
        if isEncrypted {
            mysql_options(handle, MYSQL_OPT_SSL_ENFORCE, &yes)
            if let authority = address.authority {
                mysql_options(handle, MYSQL_OPT_SSL_CA, authority)
            }
            // Newer versions of the library verify the certificate unless this option turns that
            // off.
            var isVerified: my_bool = address.encryption == .verified ? 1 : 0
            mysql_options(handle, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &isVerified)
        }
        let connected = mysql_real_connect(
            handle, address.socket == nil ? address.host : nil, address.user, address.password,
            address.database, address.port, address.socket,
            UInt(CLIENT_FOUND_ROWS) | UInt(CLIENT_MULTI_STATEMENTS))
        guard connected != nil else {
            defer { mysql_close(handle) }
            unencrypted = TLSProblem(String(cString: mysql_error(handle)))
            return max(1, mysql_errno(handle))
        }
        self.handle = handle
        isBroken = false
        return 0
    }

    /// The library must be started before threads use it.
    private static let startLibrary: Void = { _ = mysql_server_init(0, nil, nil) }()

    /// The error contains only the code, because the library's message repeats user and host. An
    /// error that a second attempt cannot change is `failed`, not `unavailable`.
    static func refusal(_ code: UInt32, _ problem: TLSProblem? = nil) -> CentralError {
        switch Int32(code) {
        // The second code is for an account that signs in as the system's user.
        case ER_ACCESS_DENIED_ERROR, ER_ACCESS_DENIED_NO_PASSWORD_ERROR:
            CentralError.signInRefused(code)
        case ER_DBACCESS_DENIED_ERROR: CentralError.databaseForbidden(code)
        case ER_BAD_DB_ERROR: CentralError.databaseMissing(code)
        case ER_HOST_NOT_PRIVILEGED: CentralError.hostForbidden(code)
        // MySQL's code, and MariaDB's.
        case 3118, 4151: CentralError.userLocked(code)
        case ER_MUST_CHANGE_PASSWORD_LOGIN: CentralError.passwordExpired(code)
        case CR_SSL_CONNECTION_ERROR:
            if let problem {
                CentralError.tls(problem, code)
            } else {
                CentralError.notEncrypted(code)
            }
        default: CentralError.noAnswer(code)
        }
    }

    private func check(_ handle: UnsafeMutablePointer<MYSQL>) throws {
        guard let greeting = mysql_get_server_info(handle).map({ String(cString: $0) }),
            let kind = ServerKind(greeting: greeting)
        else { throw CentralError.versionUnknown }
        if let problem = kind.problem { throw CentralError.serverUnfit(problem) }
        self.kind = kind
    }

    /// Makes what ends the statement that runs at the server, from any thread, on a connection of
    /// its own.
    func makeInterrupter() -> (@Sendable () -> Void)? {
        guard let handle else { return nil }
        let (address, server, number) = (address, server, mysql_thread_id(handle))
        return { [interruption] in
            let link = Link(address: address) { _ in [] }
            defer { link.close() }
            // If this fails, the statement goes on, and whoever interrupts asks again. Another
            // server behind the same address has other statements of these numbers, and so has a
            // server that started again while this connection was opened.
            guard (try? link.open()) != nil, link.server == server, interruption?.isOver != true
            else { return }
            try? link.simple("KILL QUERY \(number)")
        }
    }

    func close() {
        isTransactionLost = false
        journal = nil
        prepared = ByteKeyedDictionary()
        if let handle { mysql_close(handle) }
        handle = nil
        opened = nil
    }

    // MARK: Statements

    /// Runs statements without arguments and discards their answers.
    func simple(_ sql: String) throws {
        try control(sql)
        journal?.append(.simple(sql))
    }

    /// The same for statements that begin, divide or end transactions. The journal does not record
    /// them.
    func control(_ sql: String) throws {
        guard let handle, !isBroken else { throw CentralError.connectionBroke }
        if isTransactionLost { throw CentralError.transactionEnded }
        var sql = sql
        let isSent = sql.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                mysql_real_query(handle, characters.baseAddress, UInt(characters.count)) == 0
            }
        }
        guard isSent else { throw failure() }
        while true {
            if let result = mysql_store_result(handle) {
                mysql_free_result(result)
            } else if mysql_field_count(handle) != 0 {
                throw failure()
            }
            switch mysql_next_result(handle) {
            case 0: continue
            case -1: return
            default: throw failure()
            }
        }
    }

    /// Runs a statement with arguments. The first use prepares it.
    ///
    /// - Parameters:
    ///   - kinds: How to read the first columns of the answer. The server's declarations decide for
    ///     the others.
    ///   - isKept: Whether to keep the prepared statement for the next use.
    ///   - decides: Whether a query's answer decides what the transaction writes.
    @discardableResult
    func query(
        _ sql: String, _ parameters: Parameters = Parameters(), _ kinds: [ResultKind] = [],
        isKept: Bool = true, decides: Bool = false
    ) throws -> QueryResult {
        try interruption?.check()
        let statement = try statement(sql, isKept: isKept)
        guard statement.execute(parameters), let result = statement.result(kinds) else {
            throw failure(of: statement, sql)
        }
        // Killed, functions such as SLEEP and GET_LOCK return another value, and no error.
        try interruption?.check()
        journal?.record(sql, parameters, kinds, result, decides: decides)
        return result
    }

    /// - Throws: `conflict` when the server has ended the transaction.
    func checkTransaction() throws {
        if isTransactionLost { throw CentralError.transactionEnded }
        guard isOpen else { throw CentralError.connectionBroke }
    }

    /// Runs a statement once for each row of its arguments, all in one round trip.
    func bulk(_ sql: String, _ columns: [Parameters.Column]) throws {
        guard let rows = columns.first?.count, rows > 0 else { return }
        try interruption?.check()
        // A prepared statement keeps its array size. The suffix makes this another statement than
        // the one for a single row.
        let statement = try statement(sql + " /* array */", isKept: true)
        guard statement.execute(Parameters(columns), rows: rows, isArray: true) else {
            journal?.append(.torn)
            throw failure(of: statement, sql + " /* array */")
        }
        guard statement.result([]) != nil else {
            journal?.append(.torn)
            throw failure(of: statement, sql)
        }
        journal?.append(.bulk(sql, columns))
    }

    /// Forgets every prepared statement: the tables they read may have changed.
    func forgetPrepared() { prepared = ByteKeyedDictionary() }

    /// Rolls back the transaction, even one that the server has ended.
    func rollback() throws {
        isTransactionLost = false
        journal = nil
        try control("ROLLBACK")
    }

    private func statement(_ sql: String, isKept: Bool) throws -> Statement {
        if isTransactionLost { throw CentralError.transactionEnded }
        if let known = prepared[sql] { return known }
        guard let handle, !isBroken else { throw CentralError.connectionBroke }
        guard let statement = Statement(on: handle) else {
            throw CentralError.noMemory(for: "statement")
        }
        guard statement.prepare(sql) else { throw failure(of: statement, sql) }
        if isKept {
            if prepared.count >= Self.maximumPrepared { prepared = ByteKeyedDictionary() }
            prepared[sql] = statement
        }
        return statement
    }

    private func failure(of statement: Statement, _ sql: String) -> any Error {
        let error = statement.error
        // A statement whose answer ended early cannot run again. The next use prepares it again.
        prepared[sql] = nil
        return failure(ServerError(code: error.code, state: error.state, message: error.message))
    }

    private func failure() -> any Error {
        failure(
            ServerError(
                code: mysql_errno(handle), state: String(cString: mysql_sqlstate(handle)),
                message: String(cString: mysql_error(handle))))
    }

    private func failure(_ error: ServerError) -> any Error {
        lastError = error
        if error.isSchemaChange { forgetPrepared() }
        let central = error.central
        if error.isEnd { isBroken = true }
        if error.endsTransaction { isTransactionLost = true }
        // If the connection broke during COMMIT, nobody knows whether the server has committed.
        return interruption?.isBegun == true && !error.isEnd ? CancellationError() : central
    }
}
