import MoorageCore
import MoorageHub
import Testing

@testable import MoorageMySQL

@Suite struct `An error of the server's` {
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

    @Test func `of which nothing is known is a failure`() {
        let error = ServerError(code: 1_064, state: "42000", message: "")
        #expect(error.central.kind == .failed)
    }
}

@Suite(.enabled(if: !MySQLServer.all.isEmpty)) struct `The servers of the tests` {
    /// One that starts removes the temporary tables of all that work in the same folder.
    @Test func `keep their temporary tables apart`() throws {
        let folders = try MySQLServer.all.map { server in
            try server.withDatabase { try $0.session().cell("SELECT CONCAT(@@hostname, @@tmpdir)") }
        }
        #expect(Set(folders).count == folders.count, "\(folders)")
    }
}
