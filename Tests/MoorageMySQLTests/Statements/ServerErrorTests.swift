import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads) struct `An error of the server's` {
    /// Sent from beneath the server's own codes: `Error on delete of …`, `Disk full writing …`.
    @Test(arguments: [6, 20, 29] as [UInt32])
    func `about its files is no fault of the statement's`(code: UInt32) {
        let error = ServerError(code: code, state: "HY000", message: "Error on delete of 'x'")
        #expect(error.central.kind == .unavailable)
    }

    @Test(arguments: [500, 1_205, 2_013] as [UInt32])
    func `that a trigger made up is its refusal, whatever its code`(code: UInt32) {
        let error = ServerError(code: code, state: "45000", message: "")
        guard case .refused(let refusal) = error.central.kind else {
            Issue.record("\(error.central.kind)")
            return
        }
        #expect(refusal.code == .trigger && !error.isEnd && !error.endsTransaction)
    }

    @Test(arguments: MySQLServer.all)
    func `about a binary log that holds statements says what to set`(server: MySQLServer) throws {
        try server.withDatabase(options: .init(maximumConnections: 1)) { subject in
            let owner = try subject.session()
            guard try owner.cell("SELECT @@log_bin") == "1" else { return }
            try owner.plain("CREATE TABLE t (id INT PRIMARY KEY) ENGINE = InnoDB")
            try subject.inConnection { connection in
                try connection.openIfNeeded()
                try connection.link.simple("SET SESSION binlog_format = 'STATEMENT'")
            }
            let error = #expect(throws: CentralError.self) { try subject.attach() }
            #expect(error?.message.contains("Set binlog_format to MIXED or ROW") == true)
        }
    }

    /// MySQL converts texts before it looks at the column, and has codes of its own for what it cannot convert.
    @Test(arguments: [1366, 3854, 3988] as [UInt32])
    func `about a character refuses the row`(code: UInt32) {
        let error = ServerError(code: code, state: "HY000", message: "")
        guard case .refused(let refusal) = error.central.kind else {
            Issue.record("\(error.central.kind)")
            return
        }
        #expect(refusal.code == .type)
    }

    @Test(arguments: [
        "'a'", "`shop`.`v`.`a`", "``.`(temporary)`.`a`", "`shop`.`(temporary)`.`a`",
    ])
    func `names the column alone`(path: String) {
        let message = "Incorrect string value: '\\xF0\\x9F' for column \(path) at row 1"
        let error = ServerError(code: 1_366, state: "22007", message: message)
        #expect(error.central.message.hasSuffix(", column a (1366)."))
    }

    @Test func `of which nothing is known is a failure`() {
        let error = ServerError(code: 1_064, state: "42000", message: "")
        #expect(error.central.kind == .failed)
    }
}

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `A server that lets nobody in` {
    private static func failure(_ url: String) throws -> CentralError? {
        let database = try MySQLDatabase(url: url)
        defer { database.close() }
        return #expect(throws: CentralError.self) { try database.perform { _ = try $0.now() } }
    }

    @Test(arguments: MySQLServer.first)
    func `says whether the user or the database is wrong`(server: MySQLServer) throws {
        let stranger = try Self.failure(server.url(database: "mysql", user: "nobody_at_all"))
        #expect(stranger?.kind == .failed)
        #expect(stranger?.message.contains("user and password (1045)") == true)
        let place = try Self.failure(server.url(database: "not_there_at_all"))
        #expect(place?.kind == .failed)
        #expect(place?.message.contains("no database of this name (1049)") == true)
    }

    /// No later attempt finds another certificate.
    @Test(arguments: MySQLServer.all)
    func `by TLS says what is missing`(server: MySQLServer) throws {
        let plain =
            try MySQLSession(url: server.url)
            .rows("SHOW SESSION STATUS LIKE 'Ssl_cipher'").first?.last == ""
        let refused = try Self.failure(server.url + "?tls=verified")
        #expect(refused?.kind == .failed)
        let words = plain ? "takes no encrypted connection" : "`ca=`"
        #expect(refused?.message.contains(words) == true, "\(refused?.message ?? "let in")")
    }

    @Test(arguments: [1044, 1045, 1049, 1130, 1698, 4151] as [UInt32])
    func `for good is no matter of waiting`(code: UInt32) {
        #expect(Link.refusal(code).kind == .failed)
    }

    /// In the words of libmariadb and OpenSSL.
    @Test func `by TLS for good is told from one for now`() {
        #expect(
            TLSProblem("TLS/SSL error: self-signed certificate in certificate chain") == .authority)
        #expect(TLSProblem("TLS/SSL error: unable to get local issuer certificate") == .authority)
        #expect(
            TLSProblem("TLS/SSL error: Validation of SSL server certificate failed") == .certificate
        )
        #expect(TLSProblem("TLS/SSL error: certificate has expired") == .certificate)
        #expect(TLSProblem("TLS/SSL error: unexpected eof while reading") == nil)
        #expect(Link.refusal(2_026).kind == .unavailable)
    }

    @Test(arguments: [1040, 1053, 1129, 1203, 2002, 2003, 2013] as [UInt32])
    func `for now is asked again`(code: UInt32) {
        #expect(Link.refusal(code).kind == .unavailable)
    }
}

@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `The servers of the tests` {
    /// One that starts removes the temporary tables of all that work in the same folder.
    @Test func `keep their temporary tables apart`() throws {
        let folders = try MySQLServer.all.map { server in
            try server.withDatabase { try $0.session().cell("SELECT CONCAT(@@hostname, @@tmpdir)") }
        }
        #expect(Set(folders).count == folders.count, "\(folders)")
    }
}
