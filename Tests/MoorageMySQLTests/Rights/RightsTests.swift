import Foundation
import MoorageCore
import MoorageHub
import TestSupport
import Testing

@testable import MoorageMySQL

/// The rights that docs/guides/mysql.md gives, as it gives them.
@Suite(.ownThreads, .serialized, .enabled(if: !MySQLServer.all.isEmpty)) struct `Rights` {
    private struct Users {
        let suffix = String(UUID().uuidString.lowercased().prefix(6))
        var attaching: String { "moorage_attach_\(suffix)" }
        var serving: String { "moorage_serve_\(suffix)" }
        var clerk: String { "clerk_\(suffix)" }
    }

    /// The block that makes the two users, with names of this test's own.
    private static func documented(_ users: Users, database: String) throws -> String {
        let page = try Repository.text("docs/guides/mysql.md")
        guard let start = page.firstRange(of: "<!-- A test runs this block. -->\n```sql\n"),
            let end = page[start.upperBound...].firstRange(of: "```")
        else { throw TestFailure("docs/guides/mysql.md has no block of SQL for the users") }
        return String(page[start.upperBound..<end.lowerBound]).replacing(
            "shop", with: "\"\(database)\""
        )
        .replacing("'…'", with: "'secret'").replacing("moorage_attach", with: users.attaching)
        .replacing("moorage_serve", with: users.serving)
    }

    private static func run(
        _ server: MySQLServer, _ test: (MySQLSubject, MySQLSession, Users) async throws -> Void
    ) async throws {
        try await server.withDatabase { subject in
            let (owner, users) = (try subject.session(), Users())
            let trusts = try owner.cell("SELECT @@GLOBAL.log_bin_trust_function_creators") ?? "0"
            try owner.plain(
                """
                CREATE TABLE area (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE = InnoDB;
                CREATE TABLE item (id INT PRIMARY KEY, area INT, note JSON,
                  FOREIGN KEY (area) REFERENCES area(id) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE = InnoDB;
                INSERT INTO area VALUES (1, 'north'), (2, 'south'); INSERT INTO item VALUES (10, 1, '{}')
                """)
            try owner.plain(Self.documented(users, database: subject.name))
            try owner.plain(
                """
                CREATE USER '\(users.clerk)'@'%' IDENTIFIED BY 'secret';
                GRANT SELECT, INSERT, UPDATE, DELETE ON "\(subject.name)".area TO '\(users.clerk)'@'%';
                GRANT SELECT, INSERT, UPDATE, DELETE ON "\(subject.name)".item TO '\(users.clerk)'@'%'
                """)
            defer {
                do {
                    for user in [users.attaching, users.serving, users.clerk] {
                        try owner.plain("DROP USER IF EXISTS '\(user)'@'%'")
                    }
                    try owner.plain("SET GLOBAL log_bin_trust_function_creators = \(trusts)")
                } catch { Issue.record("the users were not dropped: \(error)") }
            }
            try await test(subject, owner, users)
        }
    }

    private static func subject(_ subject: MySQLSubject, as user: String) throws -> MySQLSubject {
        try MySQLSubject(name: subject.name, server: subject.server, user: user)
    }

    @Test(arguments: MySQLServer.all)
    func `are enough to attach, to serve, and for owners who have none on what is ours`(
        server: MySQLServer
    )
        async throws
    {
        try await Self.run(server) { subject, owner, users in
            try owner.plain("SET GLOBAL log_bin_trust_function_creators = 1")
            let attaching = try Self.subject(subject, as: users.attaching)
            defer { attaching.mysql.close() }
            try attaching.attach()
            // Replaced, too.
            try owner.plain(
                "DROP TRIGGER moorage_update_1_area; ALTER TABLE item ADD COLUMN more INT")
            try attaching.attach()
            let serving = try Self.subject(subject, as: users.serving)
            defer { serving.mysql.close() }
            let mirror = try Mirror(serving)
            #expect(try mirror.differences() == [])

            let clerk = try subject.session(user: users.clerk)
            #expect(throws: CentralError.self) { try clerk.rows("SELECT * FROM moorage_meta") }
            for statement in [
                "INSERT INTO area VALUES (3, 'west'); INSERT INTO item VALUES (30, 3, NULL, 1)",
                "UPDATE area SET id = 4 WHERE id = 1", "REPLACE INTO area VALUES (3, 'West')",
                "DELETE FROM area WHERE id = 4",
            ] {
                try clerk.plain(statement)
                #expect(try mirror.differences() == [], "\(statement)")
            }
            try serving.inConnection { connection in
                guard let area = try connection.attachedTables().first(where: { $0.name == "area" })
                else { throw TestFailure("area is not attached") }
                let key = area.description.key([.integer(8)])
                try connection.begin(.write)
                _ = try connection.lockRows(area, keys: [key])
                try connection.insert(area, columns: [0, 1], rows: [[.integer(8), .text("new")]])
                try connection.update(
                    area, columns: [1], rows: [KeyedValues(key: key, values: [.text("x")])])
                try connection.setChangedAt(area, times: [KeyedTime(key: key, changedAt: 1)])
                try connection.commit()
                _ = try connection.readTables()
                _ = try connection.schemaStamp()
                _ = try connection.changeToken()
                _ = try connection.reserveKeys(of: area, count: 3, above: 10)
            }
            #expect(try mirror.differences() == [])
            // It can change no schema.
            #expect(throws: CentralError.self) { try serving.attach(["area"]) }
            try attaching.detach()
            #expect(
                try owner.rows("SHOW TABLES LIKE 'moorage%'").isEmpty
                    && owner.rows("SHOW TRIGGERS").isEmpty)
        }
    }

    @Test(arguments: MySQLServer.all)
    func `that the binary log asks for are named`(server: MySQLServer) async throws {
        try await Self.run(server) { subject, owner, users in
            guard try owner.cell("SELECT @@log_bin") == "1" else { return }
            try owner.plain("SET GLOBAL log_bin_trust_function_creators = 0")
            let attaching = try Self.subject(subject, as: users.attaching)
            defer { attaching.mysql.close() }
            let error = #expect(throws: CentralError.self) { try attaching.attach() }
            #expect(error?.message.contains("log_bin_trust_function_creators = 1") == true)
            #expect(error?.message.contains("SUPER") == true)
            // What was begun is finished by one who may.
            try owner.plain("INSERT INTO area VALUES (5, 'later')")
            try subject.attach()
            #expect(try Mirror(subject).differences() == [])
        }
    }

    @Test(arguments: MySQLServer.first)
    func `that are missing are named`(server: MySQLServer) async throws {
        try await Self.run(server) { subject, owner, users in
            try owner.plain(
                """
                SET GLOBAL log_bin_trust_function_creators = 1;
                REVOKE TRIGGER ON "\(subject.name)".* FROM '\(users.attaching)'@'%'
                """)
            let attaching = try Self.subject(subject, as: users.attaching)
            defer { attaching.mysql.close() }
            let error = #expect(throws: CentralError.self) { try attaching.attach() }
            #expect(error?.message.contains("not allowed") == true)
            #expect(error?.message.contains("TRIGGER") == true)
        }
    }

    @Test(arguments: MySQLServer.first, [true, false])
    func `are no problem to the doctor`(server: MySQLServer, byTable: Bool) async throws {
        try await Self.run(server) { subject, owner, users in
            try owner.plain(
                """
                SET GLOBAL log_bin_trust_function_creators = 1;
                CREATE TRIGGER own BEFORE INSERT ON item FOR EACH ROW SET NEW.note = '{}'
                """)
            let attaching = try Self.subject(subject, as: users.attaching)
            defer { attaching.mysql.close() }
            #expect(try await Self.problems(attaching) == [])
            try attaching.attach()
            #expect(try await Self.problems(attaching) == [])

            let tables = try owner.rows("SHOW TABLES").compactMap { $0[0] }
            if byTable {
                // SHOW VIEW lets it see the checks that make a text JSON.
                try owner.plain(
                    """
                    REVOKE ALL PRIVILEGES, GRANT OPTION FROM '\(users.serving)'@'%';
                    GRANT SHOW VIEW ON "\(subject.name)".* TO '\(users.serving)'@'%'
                    """)
                for table in tables {
                    try owner.plain(
                        """
                        GRANT SELECT, INSERT, UPDATE, DELETE ON "\(subject.name)"."\(table)"
                        TO '\(users.serving)'@'%'
                        """)
                }
            }
            let serving = try Self.subject(subject, as: users.serving)
            defer { serving.mysql.close() }
            let found = try await Hub(database: serving.database).doctor()
            #expect(found.filter { $0.severity == .problem } == [])
            #expect(
                found.contains {
                    $0.code == .notExamined
                        && $0.message.hasPrefix("The triggers on area, item, yours and Moorage's,")
                })
            #expect(!found.contains { $0.code == .triggerEchoes })
            guard byTable else { return }
            try owner.plain(
                """
                REVOKE INSERT ON "\(subject.name)".moorage_queue_1_area FROM '\(users.serving)'@'%'
                """)
            let missing = try await Self.problems(serving)
            #expect(missing.map(\.code) == [.missingPrivileges])
            #expect(missing.map(\.table) == ["moorage_queue_1_area"])
            for statement in missing[0].repair.statements { try owner.plain(statement) }
            #expect(try await Self.problems(serving) == [])
        }
    }

    // MARK: Whom triggers run as

    private static func problems(_ subject: MySQLSubject) async throws -> [Finding] {
        try await Hub(database: subject.database).doctor().filter { $0.severity == .problem }
    }

    @Test(arguments: MySQLServer.first)
    func `of a user who is gone are another's with the next attach`(server: MySQLServer)
        async throws
    {
        try await Self.run(server) { subject, owner, users in
            let attaching = try Self.subject(subject, as: users.attaching)
            try attaching.attach()
            attaching.mysql.close()
            let mirror = try Mirror(subject)
            #expect(try await Self.problems(subject) == [])
            try owner.plain("DROP USER '\(users.attaching)'@'%'")
            let insert = "INSERT INTO area VALUES (3, 'west')"
            #expect(throws: CentralError.self) { try owner.plain(insert) }
            let found = try await Self.problems(subject)
            #expect(found.map(\.code) == [.missingPrivileges])
            #expect(found[0].message.contains("'\(users.attaching)'@'%', which does not exist"))
            #expect(found[0].repair == .attach)

            try subject.attach()
            // Nothing was written meanwhile that anybody would have to read again.
            #expect(try owner.cell("SELECT count(*) FROM moorage_queue_1_area") == "0")
            #expect(try await Self.problems(subject) == [])
            try owner.plain(insert + "; DELETE FROM area WHERE id = 1")
            #expect(try mirror.differences() == [])
            let definers = try owner.rows(
                """
                SELECT DISTINCT definer = current_user() FROM information_schema.triggers
                WHERE trigger_schema = database()
                """)
            #expect(definers == [["1"]])
        }
    }

    @Test(arguments: MySQLServer.first)
    func `that whoever attached has lost are named`(server: MySQLServer) async throws {
        try await Self.run(server) { subject, owner, users in
            let attaching = try Self.subject(subject, as: users.attaching)
            defer { attaching.mysql.close() }
            try attaching.attach()
            #expect(try await Self.problems(attaching) == [])
            try owner.plain(
                "REVOKE ALL PRIVILEGES, GRANT OPTION FROM '\(users.attaching)'@'%'")
            let change = "UPDATE area SET id = 7 WHERE id = 1"
            #expect(throws: CentralError.self) { try owner.plain(change) }
            let found = try await Self.problems(subject)
            #expect(found.map(\.code) == [.missingPrivileges])
            #expect(found[0].message.contains("'\(users.attaching)'@'%', which lacks"))
            #expect(found[0].message.contains("INSERT on moorage_queue_1_area"))
            #expect(found[0].message.contains("SELECT, TRIGGER on area"))
            // No more than these, and the cascade's triggers read what they note.
            for statement in found[0].repair.statements { try owner.plain(statement) }
            #expect(try await Self.problems(subject) == [])
            try owner.plain(change)
            try owner.plain("DELETE FROM area WHERE id = 7; INSERT INTO area VALUES (1, 'again')")
            #expect(try Mirror(subject).differences() == [])
        }
    }

    @Test(arguments: MySQLServer.first)
    func `of another user are said to be unknown by who may not look`(server: MySQLServer)
        async throws
    {
        try await Self.run(server) { subject, owner, users in
            try subject.attach()
            let attaching = try Self.subject(subject, as: users.attaching)
            defer { attaching.mysql.close() }
            let found = try await Hub(database: attaching.database).doctor()
            #expect(found.filter { $0.severity == .problem } == [])
            let definer = try owner.cell("SELECT SUBSTRING_INDEX(current_user(), '@', 1)") ?? ""
            #expect(
                found.contains {
                    $0.code == .notExamined && $0.message.hasPrefix("Whether '\(definer)'@")
                })
        }
    }
}
