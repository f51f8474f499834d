import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

extension MySQLServer {
    /// The servers on which an attach adds keys. MySQL is none.
    fileprivate static let addingKeys = all.filter { $0.name.hasPrefix("MARIADB") }
}

/// The column that an attach adds to a table without any key (docs/decisions/0104).
@Suite(.ownThreads, .enabled(if: !MySQLServer.addingKeys.isEmpty))
struct `An added key on MariaDB` {
    @Test(arguments: MySQLServer.addingKeys)
    func `ends with an error where a trigger empties it`(server: MySQLServer) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(
                "CREATE TABLE loose (a INT) ENGINE = InnoDB; INSERT INTO loose VALUES (1), (1), (2)"
            )
            func attach(_ keyless: [String], afterBatch: @escaping () throws -> Void) throws {
                try subject.mysql.perform { connection in
                    var attachment = Attachment(on: connection, makeID: { "an id" })
                    attachment.batchRows = 2
                    attachment.afterBatch = afterBatch
                    _ = try attachment.attach(tables: nil, addingKeysTo: keyless)
                }
            }
            var hasTrigger = false
            let error = #expect(throws: CentralError.self) {
                try attach(["loose"]) {
                    if hasTrigger { return }
                    hasTrigger = true
                    try owner.plain(
                        """
                        CREATE TRIGGER emptied BEFORE UPDATE ON loose
                        FOR EACH ROW SET NEW.moorage_key = NULL
                        """)
                }
            }
            #expect(error?.kind == .failed)
            #expect(error?.message.contains("trigger") == true)
            try owner.plain("DROP TRIGGER emptied")
            try attach([]) {}
            #expect(try owner.cell("SELECT count(DISTINCT moorage_key) FROM loose") == "3")
        }
    }
}
