import MoorageCore
import MoorageHub
import MoorageTesting
import TestSupport
import Testing

@testable import MoorageMySQL

/// Each statement that changes a schema commits, and what was begun stays (docs/decisions/0035).
@Suite(.ownThreads, .enabled(if: !MySQLServer.all.isEmpty)) struct `An attach that is broken off` {
    private static let schema = """
        CREATE TABLE area (id INT PRIMARY KEY, name VARCHAR(20)) ENGINE = InnoDB;
        CREATE TABLE project (id INT PRIMARY KEY, area INT,
          FOREIGN KEY (area) REFERENCES area(id) ON DELETE CASCADE ON UPDATE CASCADE) ENGINE = InnoDB;
        CREATE TABLE task (id INT PRIMARY KEY, project INT,
          FOREIGN KEY (project) REFERENCES project(id) ON DELETE CASCADE) ENGINE = InnoDB;
        INSERT INTO area VALUES (1, 'north'), (2, 'south'), (3, 'west');
        INSERT INTO project VALUES (10, 1), (20, 2), (30, NULL);
        INSERT INTO task VALUES (100, 10), (101, 10), (200, 20), (300, 30)
        """
    private static let settings = ScopeSettings(
        rules: [
            "project": [ScopeRule(.column(kind: "area", "area"))],
            "task": [ScopeRule(.through(["project"]))],
        ], holdings: ["area": .claim("area")])

    /// Attaches until it breaks.
    ///
    /// - Returns: How many steps it took, where it came to its end.
    private static func attach(
        _ subject: MySQLSubject, breakingAfter steps: Int = .max, orBefore statement: String? = nil,
        _ scopes: ScopeSettings
    ) throws -> Int? {
        try subject.mysql.perform { base in
            let connection = BreakingConnection(base, after: steps, before: statement)
            var attachment = Attachment(on: connection, scopes: scopes, makeID: { "an id" })
            attachment.batchRows = 2
            do {
                _ = try attachment.attach(tables: nil, unscoping: true)
                return connection.done
            } catch is BreakingConnection.Break {
                base.rollback()
                return nil
            }
        }
    }

    /// By night an attach breaks at each place between two steps, by day at some of them.
    ///
    /// - Parameters:
    ///   - first: After how many steps the first one breaks.
    ///   - work: Attaches on a database of its own, as ``attach(_:breakingAfter:_:)``.
    /// - Returns: How many steps an attach takes that nothing breaks.
    private static func breaking(
        on server: MySQLServer, from first: Int,
        _ work: (MySQLSubject, _ steps: Int) throws -> Int?
    ) throws -> Int {
        let step = trials(11, nightly: 1)
        var steps = first % step
        while true {
            let all = try server.withDatabase { subject in
                try subject.session().plain(Self.schema)
                return try work(subject, steps)
            }
            if let all { return all }
            steps += step
        }
    }

    private static func traces(_ owner: MySQLSession) throws -> [[String?]] {
        try owner.rows(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = database() AND table_name LIKE 'moorage%'
            UNION SELECT trigger_name FROM information_schema.triggers
            WHERE trigger_schema = database() AND trigger_name LIKE 'moorage%'
            """)
    }

    @Test(arguments: MySQLServer.all)
    func `is finished by the next one, wherever it broke`(server: MySQLServer) throws {
        let first = server.name == "MARIADB" ? 0 : 5
        let all = try Self.breaking(on: server, from: first) { subject, steps in
            let owner = try subject.session()
            if let all = try Self.attach(subject, breakingAfter: steps, Self.settings) {
                return all
            }
            // Others write what is tracked in part.
            try owner.plain(
                """
                INSERT INTO task VALUES (400, 30); DELETE FROM area WHERE id = 1;
                UPDATE project SET area = 3 WHERE id = 20
                """)
            try subject.attach(scopes: Self.settings)
            let mirror = try Mirror(subject)
            #expect(try mirror.differences() == [], "after \(steps) steps")
            try owner.plain(
                "UPDATE area SET id = 9 WHERE id = 3; DELETE FROM project WHERE id = 30")
            #expect(try mirror.differences() == [], "after \(steps) steps, and changes")
            try subject.detach()
            #expect(try Self.traces(owner) == [], "after \(steps) steps")
            return nil
        }
        #expect(all > 40)
    }

    @Test(arguments: MySQLServer.first)
    func `leaves nothing once it is detached`(server: MySQLServer) throws {
        let all = try Self.breaking(on: server, from: 1) { subject, steps in
            let owner = try subject.session()
            if let all = try Self.attach(subject, breakingAfter: steps, Self.settings) {
                return all
            }
            try subject.detach()
            #expect(try Self.traces(owner) == [], "after \(steps) steps")
            return nil
        }
        #expect(all > 40)
    }

    /// Attached before, with a trigger lost, and broken off on the way to other scopes or to the same.
    @Test(arguments: MySQLServer.first, [true, false])
    func `of tables that were attached is finished, too`(server: MySQLServer, isMoving: Bool) throws
    {
        let scopes = isMoving ? Self.settings : ScopeSettings()
        let all = try Self.breaking(on: server, from: 2) { subject, steps in
            let owner = try subject.session()
            try subject.attach()
            let mirror = try Mirror(subject)
            try owner.plain("DROP TRIGGER moorage_update_2_project")
            try owner.plain("UPDATE project SET area = 3 WHERE id = 20")
            let all = try Self.attach(subject, breakingAfter: steps, scopes)
            try owner.plain("UPDATE project SET area = 2 WHERE id = 30")
            if let all { return all }
            try subject.attach(scopes: scopes)
            #expect(try mirror.differences() == [], "after \(steps) steps")
            try owner.plain(
                "UPDATE area SET id = 9 WHERE id = 3; DELETE FROM project WHERE id = 30")
            #expect(try mirror.differences() == [], "after \(steps) steps, and changes")
            return nil
        }
        #expect(all > 30)
    }

    /// An attach deletes a fact and writes it again, just after statements that commit.
    @Test(
        arguments: MySQLServer.all, ["INSERT INTO moorage_meta", "INSERT INTO moorage_table"])
    func `of tables that were attached loses no fact that it writes again`(
        server: MySQLServer, statement: String
    ) throws {
        try server.withDatabase { subject in
            let owner = try subject.session()
            try owner.plain(Self.schema)
            try subject.attach()
            let mirror = try Mirror(subject)
            let facts = "SELECT name, value FROM moorage_meta ORDER BY name"
            let before = try owner.rows(facts)
            try owner.plain("DROP TRIGGER moorage_update_2_project")
            try owner.plain("UPDATE project SET area = 3 WHERE id = 20")
            #expect(try Self.attach(subject, orBefore: statement, ScopeSettings()) == nil)
            #expect(try owner.rows(facts) == before)
            try subject.attach()
            #expect(try mirror.differences() == [])
        }
    }
}
