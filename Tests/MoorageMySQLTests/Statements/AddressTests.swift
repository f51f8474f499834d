import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

@Suite(.ownThreads) struct `The address of a server` {
    @Test func `may be one of IPv6`() throws {
        #expect(try MySQLAddress(url: "mysql://u:p@[::1]:3307/db").host == "::1")
        #expect(try MySQLAddress(url: "mysql://u:p@[::1]:3307/db").port == 3307)
    }

    @Test(arguments: [
        "mysql://u:p@h:65536/db", "mysql://u:p@h/db?socket=/a%00b", "mysql://u@h/a/b",
    ])
    func `that cannot be is refused, and not repeated`(url: String) {
        let error = #expect(throws: CentralError.self) { try MySQLAddress(url: url) }
        #expect(error?.message.contains("u:p") == false)
    }

    /// The library would take a socket of its own choice.
    @Test(arguments: MySQLServer.all) func `is that of the port that it names`(server: MySQLServer)
        throws
    {
        let url = server.url.replacing("127.0.0.1", with: "localhost")
        let port = try MySQLAddress(url: url).port
        let session = try MySQLSession(url: url)
        #expect(try session.cell("SELECT @@port") == String(port))
    }

    @Test(arguments: MySQLServer.all)
    func `is encrypted where the server can, unless it says otherwise`(server: MySQLServer) throws {
        // MySQL makes itself a certificate, and has dropped the variable.
        let known = try MySQLSession(url: server.url).rows("SHOW VARIABLES LIKE 'have_ssl'")
        let hasTLS = known.first.map { $0.last == "YES" } ?? true
        for (option, isEncrypted) in [("preferred", hasTLS), ("disabled", false)] {
            let session = try MySQLSession(url: server.url + "?tls=\(option)")
            let cipher = try session.rows("SHOW SESSION STATUS LIKE 'Ssl_cipher'").first?.last
            #expect((cipher??.isEmpty == false) == isEncrypted, "\(option)")
        }
    }
}
